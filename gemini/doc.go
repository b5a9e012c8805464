// Package gemini is the wire format of Google's generateContent, of the Gemini API and of Vertex
// AI: how the contents of a request are read into a view, and what the API demands of a changed
// conversation. Source: https://ai.google.dev/api/caching#Content, "Content", "Part",
// "FunctionCall" and "FunctionResponse". Names are read in both spellings that the API accepts,
// functionCall and function_call.
//
// A content of the user that carries results is several messages of the view, one for each result
// and one for each run of other parts. The model is in the path, or beside the request in the body
// of one for Code Assist.
//
// It never decides what to change and never decodes a body and encodes it again.
package gemini
