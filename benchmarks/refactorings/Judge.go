// Checks the types of many modules in one process: `go run Judge.go LIST ROOT` reads folders from LIST, one a line, whose packages
// import each other as ROOT/..., and prints "FOLDER<tab>ERROR" for each error of the type checker that go vet uses.
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

type module struct {
	folder, root string
	files        *token.FileSet
	done         map[string]*types.Package
	open         map[string]bool
}

func (m *module) Import(path string) (*types.Package, error) {
	if found, ok := m.done[path]; ok {
		return found, nil
	}
	if m.open[path] {
		return nil, fmt.Errorf("import cycle through %s", path)
	}
	if path != m.root && !strings.HasPrefix(path, m.root+"/") {
		return nil, fmt.Errorf("no package %s", path)
	}
	folder := filepath.Join(m.folder, strings.TrimPrefix(path, m.root))
	names, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	if len(names) == 0 {
		return nil, fmt.Errorf("no Go files in %s", path)
	}
	m.open[path] = true
	defer delete(m.open, path)
	var parsed []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(m.files, name, nil, 0)
		if err != nil {
			m.say(err)
			continue
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: m, Error: m.say}
	found, _ := config.Check(path, m.files, parsed, nil)
	m.done[path] = found
	return found, nil
}

func (m *module) say(err error) {
	fmt.Printf("%s\t%s\n", m.folder, strings.ReplaceAll(err.Error(), "\n", " "))
}

func main() {
	list, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		m := &module{lines.Text(), os.Args[2], token.NewFileSet(), map[string]*types.Package{}, map[string]bool{}}
		filepath.Walk(m.folder, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.IsDir() {
				if names, _ := filepath.Glob(filepath.Join(path, "*.go")); len(names) > 0 {
					inner, _ := filepath.Rel(m.folder, path)
					if _, err := m.Import(filepath.ToSlash(filepath.Join(m.root, inner))); err != nil {
						m.say(err)
					}
				}
			}
			return nil
		})
	}
}
