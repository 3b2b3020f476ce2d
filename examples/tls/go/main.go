// The stack of ../Pulumi.yaml in Go.
package main

import (
	"os"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
	"plumbline.example/sdk/go/plumbline/objectstorage"
)

func main() {
	pulumi.Run(declare)
}

func declare(ctx *pulumi.Context) error {
	cluster := pulumi.String("us-east-1")
	if name := config.Get(ctx, "cluster"); name != "" {
		cluster = pulumi.String(name)
	}
	certificate, err := os.ReadFile("../tls/certificate.pem")
	if err != nil {
		return err
	}
	key, err := os.ReadFile("../tls/key.pem")
	if err != nil {
		return err
	}

	// The label is the name that it is served under; a CNAME record leads there.
	files, err := objectstorage.NewBucket(ctx, "files", &objectstorage.BucketArgs{
		Cluster: cluster,
		Label:   pulumi.String("files.certificate.example"),
	})
	if err != nil {
		return err
	}
	// Both parts are uploaded together. These two are signed by nobody and only for trying it out: take your own, the key from where secrets are.
	tls, err := objectstorage.NewBucketCertificate(ctx, "tls", &objectstorage.BucketCertificateArgs{
		Cluster:     cluster,
		Bucket:      files.Label,
		Certificate: pulumi.String(certificate),
		PrivateKey:  pulumi.ToSecret(pulumi.String(key)).(pulumi.StringOutput),
	})
	if err != nil {
		return err
	}
	ctx.Export("hostname", files.Hostname)
	ctx.Export("encrypted", tls.Ssl)
	return nil
}
