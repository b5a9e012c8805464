package view_test

// history returns a body of about n bytes in messages of up to 3.5 KB, with escapes as in code.
func history(n int) []byte {
	b := []byte(`{"model":"gpt-5.1","messages":[{"role":"system","content":"S"}`)
	line := `\tif err := run(ctx, \"task\", 42); err != nil {\n\t\treturn fmt.Errorf(\"running: ` +
		`%w\", err)\n\t}\n`
	for len(b) < n {
		b = append(b, `,{"role":"user","content":"`...)
		for i := 0; i < 35 && len(b) < n; i++ {
			b = append(b, line...)
		}
		b = append(b, `"}`...)
	}
	return append(b, `]}`...)
}
