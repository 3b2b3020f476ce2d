package main

import (
	"testing"

	"plumbline.example/examples/go/life"
)

func TestLife(t *testing.T) {
	life.Lead(t, declare, "encrypted")
}
