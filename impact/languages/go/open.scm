((comment) @open (#match? @open "^//go:generate"))
