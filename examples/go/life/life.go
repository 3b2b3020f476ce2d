// Package life leads a program through its life on an emulator by Pulumi's Automation API, and prints what was done as JSON.
package life

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

// Lead tells the output, too.
func Lead(t *testing.T, declare pulumi.RunFunc, output string) {
	if !strings.HasPrefix(os.Getenv("PLUMBLINE_BASE_URL"), "http://127.0.0.1:") {
		t.Skip("PLUMBLINE_BASE_URL names no emulator on this machine")
	}
	ctx := context.Background()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	workspace, err := auto.NewLocalWorkspace(ctx, auto.WorkDir("."), auto.Program(declare))
	must(err)
	stack, err := auto.UpsertStack(ctx, "dev", workspace)
	must(err)
	preview, err := stack.Preview(ctx)
	must(err)
	up, err := stack.Up(ctx)
	must(err)
	again, err := stack.Up(ctx)
	must(err)
	_, err = stack.Destroy(ctx)
	must(err)
	told, err := json.Marshal(map[string]any{
		"preview": preview.ChangeSummary,
		"up":      up.Summary.ResourceChanges,
		"again":   again.Summary.ResourceChanges,
		output:    up.Outputs[output].Value,
	})
	must(err)
	fmt.Println(string(told))
}
