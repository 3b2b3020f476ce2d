// A company's zone, its private network and its disk, as a Pulumi program in Go: it loops where YAML repeats.
package main

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
	"plumbline.example/sdk/go/plumbline/blockstorage"
	"plumbline.example/sdk/go/plumbline/dns"
	"plumbline.example/sdk/go/plumbline/vpc"
)

func main() {
	pulumi.Run(declare)
}

func declare(ctx *pulumi.Context) error {
	name := config.Get(ctx, "zone")
	if name == "" {
		name = "go.plumbline.example"
	}
	tags := pulumi.ToStringArray([]string{"production", "web"})

	zone, err := dns.NewDomain(ctx, "zone", &dns.DomainArgs{
		Domain:   pulumi.String(name),
		Type:     dns.DomainTypeMaster,
		SoaEmail: pulumi.String("hostmaster@" + name),
		TtlSec:   pulumi.Int(3600),
		Tags:     tags,
	})
	if err != nil {
		return err
	}
	records := map[string]dns.RecordArgs{
		"www":  {Type: dns.RecordTypeCNAME, Name: pulumi.String("www"), Target: pulumi.String(name)},
		"mail": {Type: dns.RecordTypeMX, Target: pulumi.String("mx1.mail.example"), Priority: pulumi.Int(10)},
		"caa":  {Type: dns.RecordTypeCAA, Tag: dns.CaaTagIssue, Target: pulumi.String("ca.example")},
	}
	for i, address := range []string{"203.0.113.10", "203.0.113.11"} {
		records[fmt.Sprintf("apex-%d", i+1)] = dns.RecordArgs{Type: dns.RecordTypeA, Target: pulumi.String(address)}
	}
	for key, args := range records {
		args.DomainId = zone.ID()
		if _, err := dns.NewRecord(ctx, key, &args); err != nil {
			return err
		}
	}

	network, err := vpc.NewVpc(ctx, "network", &vpc.VpcArgs{
		Label:  pulumi.String("production"),
		Region: pulumi.String("us-east"),
	})
	if err != nil {
		return err
	}
	for label, ipv4 := range map[string]string{"web": "10.10.1.0/24", "data": "10.10.2.0/24"} {
		_, err := vpc.NewSubnet(ctx, label, &vpc.SubnetArgs{
			VpcId: network.ID(),
			Label: pulumi.String(label),
			Ipv4:  pulumi.String(ipv4),
		})
		if err != nil {
			return err
		}
	}

	disk, err := blockstorage.NewVolume(ctx, "disk", &blockstorage.VolumeArgs{
		Label:  pulumi.String("production-data"),
		Size:   pulumi.Int(40),
		Region: pulumi.String("us-east"),
		Tags:   tags,
	})
	if err != nil {
		return err
	}
	ctx.Export("domainId", zone.ID())
	ctx.Export("diskPath", disk.FilesystemPath)
	return nil
}
