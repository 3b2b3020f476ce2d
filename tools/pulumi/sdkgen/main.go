// Command sdkgen writes a package's SDK from its schema with Pulumi's own generators; it knows nothing of the package itself.
//
//	sdkgen [-language nodejs|python|go] SCHEMA FOLDER
//
// Files that are in FOLDER and not generated are left alone; what is generated is overwritten.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

// tool is the name that generated files give as their maker.
const tool = "plumbline"

func main() {
	language := flag.String("language", "nodejs", "nodejs, python or go")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: sdkgen [-language nodejs|python|go] SCHEMA FOLDER")
		os.Exit(2)
	}
	if err := run(*language, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintf(os.Stderr, "sdkgen: %v\n", err)
		os.Exit(1)
	}
}

func run(language, schemaFile, folder string) error {
	pkg, err := load(schemaFile)
	if err != nil {
		return fmt.Errorf("%s: %w", schemaFile, err)
	}
	files, err := generate(language, pkg)
	if err != nil {
		return fmt.Errorf("the %s generator: %w", language, err)
	}
	for name, content := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func load(schemaFile string) (*schema.Package, error) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		return nil, err
	}
	var spec schema.PackageSpec
	if err := json.Unmarshal(text, &spec); err != nil {
		return nil, err
	}
	pkg, diagnostics, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
	if err != nil {
		return nil, err
	}
	if diagnostics.HasErrors() {
		return nil, diagnostics
	}
	return pkg, nil
}

func generate(language string, pkg *schema.Package) (map[string][]byte, error) {
	switch language {
	case "nodejs":
		return nodejs.GeneratePackage(tool, pkg, nil, nil, false, nil)
	case "python":
		return python.GeneratePackage(tool, pkg, nil, nil)
	case "go":
		return gogen.GeneratePackage(tool, pkg, nil)
	default:
		return nil, fmt.Errorf("unknown language %q: nodejs, python or go", language)
	}
}
