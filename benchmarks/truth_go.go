// Which Go file imports which package of its own module, as go/parser reads it: go run truth_go.go ROOT MODULE OUT.json
// The target of an edge is the package's folder with a slash at its end, "./" for the root.
package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	root, module, out := os.Args[1], os.Args[2], os.Args[3]
	edges := [][2]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return nil
		}
		from, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name := strings.Trim(spec.Path.Value, "\"`")
			if folder := strings.TrimPrefix(name+"/", module+"/"); folder != name+"/" {
				if folder == "" {
					folder = "./"
				}
				edges = append(edges, [2]string{filepath.ToSlash(from), folder})
			}
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(map[string]any{"edges": edges, "known": nil})
	if err != nil {
		panic(err)
	}
	if err := os.WriteFile(out, text, 0o600); err != nil {
		panic(err)
	}
}
