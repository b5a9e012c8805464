package responses

import "killick/view"

func Parse(body []byte) (*view.Request, error) { return view.Parse(Format, body) }

func ParseMessage(raw []byte) (view.Message, error) { return Format.Message(raw) }
