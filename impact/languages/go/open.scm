((comment) @open (#match? @open "^//go:generate"))
(import_spec path: (_) @open (#eq? @open "\"C\""))
