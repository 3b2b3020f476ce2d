// The stack of ../Pulumi.yaml in Go: every function, asked about what the program itself has made. Most answers are only asked for here.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
	"plumbline.example/sdk/go/plumbline/blockstorage"
	"plumbline.example/sdk/go/plumbline/compute"
	"plumbline.example/sdk/go/plumbline/databases"
	"plumbline.example/sdk/go/plumbline/dns"
	"plumbline.example/sdk/go/plumbline/kubernetes"
	"plumbline.example/sdk/go/plumbline/managed"
	"plumbline.example/sdk/go/plumbline/objectstorage"
	"plumbline.example/sdk/go/plumbline/vpc"
)

func main() {
	pulumi.Run(declare)
}

func declare(ctx *pulumi.Context) error {
	region := setting(ctx, "region", "us-east")
	declareZones(ctx)
	declareNetwork(ctx, region)
	declareDisk(ctx, region)
	declareScript(ctx)
	declareDatabases(ctx, region)
	declareStorage(ctx, setting(ctx, "cluster", "us-east-1"))
	declareKubernetes(ctx, region)
	// A compute instance that is there already.
	declareMonitoring(ctx, setting(ctx, "computeId", "1001"))
	return nil
}

// setting is what the config has under the key, or the other.
func setting(ctx *pulumi.Context, key, otherwise string) pulumi.String {
	if value := config.Get(ctx, key); value != "" {
		return pulumi.String(value)
	}
	return pulumi.String(otherwise)
}

// must ends the program where a resource cannot be declared.
func must[T any](resource T, err error) T {
	if err != nil {
		panic(err)
	}
	return resource
}

// after lets a function that is told of no resource wait for one.
func after(resource pulumi.Resource) pulumi.InvokeOption {
	return pulumi.DependsOn([]pulumi.Resource{resource})
}

func declareZones(ctx *pulumi.Context) {
	zone := must(dns.NewDomain(ctx, "zone", &dns.DomainArgs{
		Domain:   pulumi.String("functions.example"),
		Type:     dns.DomainTypeMaster,
		SoaEmail: pulumi.String("admin@functions.example"),
		Tags:     pulumi.ToStringArray([]string{"docs"}),
	}))
	www := must(dns.NewRecord(ctx, "www", &dns.RecordArgs{
		DomainId: zone.ID(),
		Type:     dns.RecordTypeA,
		Name:     pulumi.String("www"),
		Target:   pulumi.String("203.0.113.10"),
	}))
	listed := must(dns.NewDomain(ctx, "listed", &dns.DomainArgs{
		Domain:   pulumi.String("listed.example"),
		Type:     dns.DomainTypeMaster,
		SoaEmail: pulumi.String("admin@functions.example"),
	}))
	must(dns.NewZone(ctx, "list", &dns.ZoneArgs{
		DomainId: listed.ID(),
		Records: dns.ZoneRecordArray{
			&dns.ZoneRecordArgs{Type: dns.RecordTypeA, Name: pulumi.String("www"), Target: pulumi.String("203.0.113.10")},
			&dns.ZoneRecordArgs{Type: dns.RecordTypeMX, Target: pulumi.String("mx1.mail.example"), Priority: pulumi.Int(10)},
		},
	}))

	dns.LookupDomainOutput(ctx, dns.LookupDomainOutputArgs{Id: zone.ID()})
	dns.GetDomainsOutput(ctx, dns.GetDomainsOutputArgs{Tag: pulumi.String("docs")}, after(zone))
	dns.GetRecordsOutput(ctx, dns.GetRecordsOutputArgs{DomainId: www.DomainId, Type: dns.RecordTypeA})
	zoneFile := dns.GetZoneFileOutput(ctx, dns.GetZoneFileOutputArgs{DomainId: www.DomainId})
	ctx.Export("zoneFile", zoneFile.Text())
}

func declareNetwork(ctx *pulumi.Context, region pulumi.String) {
	network := must(vpc.NewVpc(ctx, "network", &vpc.VpcArgs{Label: pulumi.String("functions"), Region: region}))
	web := must(vpc.NewSubnet(ctx, "web", &vpc.SubnetArgs{
		VpcId: network.ID(),
		Label: pulumi.String("web"),
		Ipv4:  pulumi.String("10.20.0.0/24"),
	}))

	vpc.LookupVpcOutput(ctx, vpc.LookupVpcOutputArgs{Id: network.ID()})
	vpc.GetVpcsOutput(ctx, vpc.GetVpcsOutputArgs{Region: region}, after(network))
	vpc.LookupSubnetOutput(ctx, vpc.LookupSubnetOutputArgs{VpcId: web.VpcId, Label: web.Label})
	vpc.GetSubnetsOutput(ctx, vpc.GetSubnetsOutputArgs{VpcId: web.VpcId})
	vpc.GetVpcIpsOutput(ctx, vpc.GetVpcIpsOutputArgs{VpcId: network.ID()})
}

func declareDisk(ctx *pulumi.Context, region pulumi.String) {
	data := must(blockstorage.NewVolume(ctx, "data", &blockstorage.VolumeArgs{
		Label:  pulumi.String("functions-data"),
		Region: region,
		Size:   pulumi.Int(20),
		Tags:   pulumi.ToStringArray([]string{"docs"}),
	}))

	blockstorage.LookupVolumeOutput(ctx, blockstorage.LookupVolumeOutputArgs{Id: data.ID()})
	blockstorage.GetVolumesOutput(ctx, blockstorage.GetVolumesOutputArgs{Region: region, Tag: pulumi.String("docs")}, after(data))
}

func declareScript(ctx *pulumi.Context) {
	setup := must(compute.NewStackScript(ctx, "setup", &compute.StackScriptArgs{
		Label:  pulumi.String("functions-setup"),
		Images: pulumi.ToStringArray([]string{"any/all"}),
		Script: pulumi.String("#!/bin/sh\necho ready\n"),
	}))

	compute.LookupStackScriptOutput(ctx, compute.LookupStackScriptOutputArgs{Id: setup.ID()})
	compute.GetStackScriptsOutput(ctx, compute.GetStackScriptsOutputArgs{Mine: pulumi.Bool(true)}, after(setup))
}

func declareDatabases(ctx *pulumi.Context, region pulumi.String) {
	shop := must(databases.NewMySqlInstance(ctx, "shop", &databases.MySqlInstanceArgs{
		Label:  pulumi.String("functions-shop"),
		Engine: pulumi.String("mysql/8.0.30"),
		Region: region,
		Type:   pulumi.String("g6-nanode-1"),
	}))
	opening := must(databases.NewSnapshot(ctx, "opening", &databases.SnapshotArgs{
		Kind:       databases.DatabaseKindMysql,
		InstanceId: shop.ID(),
		Label:      pulumi.String("opening"),
	}))
	reports := must(databases.NewPostgreSqlInstance(ctx, "reports", &databases.PostgreSqlInstanceArgs{
		Label:  pulumi.String("functions-reports"),
		Engine: pulumi.String("postgresql/14.6"),
		Region: region,
		Type:   pulumi.String("g6-nanode-1"),
	}))

	databases.GetEnginesOutput(ctx, databases.GetEnginesOutputArgs{Kind: databases.DatabaseKindPostgresql})
	databases.GetEngineOutput(ctx, databases.GetEngineOutputArgs{Id: pulumi.String("mysql/8.0.30")})
	databases.GetTypesOutput(ctx, databases.GetTypesOutputArgs{Class: pulumi.String("standard")})
	databases.GetTypeOutput(ctx, databases.GetTypeOutputArgs{Id: pulumi.String("g6-nanode-1")})
	databases.GetDatabasesOutput(ctx, databases.GetDatabasesOutputArgs{Kind: databases.DatabaseKindMysql}, after(shop))
	databases.LookupMySqlInstanceOutput(ctx, databases.LookupMySqlInstanceOutputArgs{Id: shop.ID()})
	databases.GetMySqlInstancesOutput(ctx, databases.GetMySqlInstancesOutputArgs{Region: region}, after(shop))
	databases.LookupPostgreSqlInstanceOutput(ctx, databases.LookupPostgreSqlInstanceOutputArgs{Id: reports.ID()})
	databases.GetPostgreSqlInstancesOutput(ctx, databases.GetPostgreSqlInstancesOutputArgs{Region: region}, after(reports))
	databases.GetBackupsOutput(ctx, databases.GetBackupsOutputArgs{
		Kind:       databases.DatabaseKindMysql,
		InstanceId: opening.InstanceId,
		Type:       databases.BackupTypeSnapshot,
	})
	databases.GetBackupOutput(ctx, databases.GetBackupOutputArgs{
		Kind:       databases.DatabaseKindMysql,
		InstanceId: opening.InstanceId,
		Id:         opening.SnapshotId,
	})
	credentials := databases.GetCredentialsOutput(ctx, databases.GetCredentialsOutputArgs{
		Kind:       databases.DatabaseKindMysql,
		InstanceId: shop.ID(),
	})
	databases.GetCaCertificateOutput(ctx, databases.GetCaCertificateOutputArgs{
		Kind:       databases.DatabaseKindMysql,
		InstanceId: shop.ID(),
	})
	ctx.Export("databaseUser", credentials.Username())
}

func declareStorage(ctx *pulumi.Context, cluster pulumi.String) {
	site := must(objectstorage.NewBucket(ctx, "site", &objectstorage.BucketArgs{
		Cluster: cluster,
		Label:   pulumi.String("functions-site"),
	}))
	page := must(objectstorage.NewObject(ctx, "page", &objectstorage.ObjectArgs{
		Cluster:     cluster,
		Bucket:      site.Label,
		Name:        pulumi.String("index.html"),
		Content:     pulumi.String("<p>Hello</p>"),
		ContentType: pulumi.String("text/html"),
	}))
	readers := must(objectstorage.NewObjectAcl(ctx, "readers", &objectstorage.ObjectAclArgs{
		Cluster: cluster,
		Bucket:  page.Bucket,
		Name:    page.Name,
		Acl:     objectstorage.CannedAclPublicRead,
	}))
	deployment := must(objectstorage.NewKey(ctx, "deployment", &objectstorage.KeyArgs{Label: pulumi.String("functions-deployment")}))

	objectstorage.GetBucketsOutput(ctx, objectstorage.GetBucketsOutputArgs{Cluster: cluster}, after(site))
	objectstorage.LookupBucketOutput(ctx, objectstorage.LookupBucketOutputArgs{Cluster: cluster, Label: site.Label}, after(site))
	objectstorage.GetClustersOutput(ctx, objectstorage.GetClustersOutputArgs{})
	objectstorage.GetClusterOutput(ctx, objectstorage.GetClusterOutputArgs{Id: cluster})
	objectstorage.GetKeysOutput(ctx, objectstorage.GetKeysOutputArgs{}, after(deployment))
	objectstorage.LookupKeyOutput(ctx, objectstorage.LookupKeyOutputArgs{Id: deployment.ID()})
	objectstorage.GetObjectsOutput(ctx, objectstorage.GetObjectsOutputArgs{
		Cluster: cluster,
		Bucket:  page.Bucket,
		Prefix:  pulumi.String("index"),
	}, after(page))
	objectstorage.LookupObjectAclOutput(ctx, objectstorage.LookupObjectAclOutputArgs{
		Cluster: cluster,
		Bucket:  page.Bucket,
		Name:    page.Name,
	}, after(readers))
	objectstorage.GetObjectUrlOutput(ctx, objectstorage.GetObjectUrlOutputArgs{
		Cluster:   cluster,
		Bucket:    page.Bucket,
		Name:      page.Name,
		ExpiresIn: pulumi.Int(600),
	}, after(page))
	objectstorage.LookupBucketCertificateOutput(ctx, objectstorage.LookupBucketCertificateOutputArgs{
		Cluster: cluster,
		Bucket:  site.Label,
	}, after(site))
	objectstorage.GetTransferOutput(ctx, objectstorage.GetTransferOutputArgs{})
}

func declareKubernetes(ctx *pulumi.Context, region pulumi.String) {
	workers := must(kubernetes.NewCluster(ctx, "workers", &kubernetes.ClusterArgs{
		Label:      pulumi.String("functions"),
		Region:     region,
		K8sVersion: pulumi.String("1.28"),
		NodePools: kubernetes.ClusterPoolMap{
			"small": &kubernetes.ClusterPoolArgs{Type: pulumi.String("g6-standard-2"), Count: pulumi.Int(1)},
		},
		Tags: pulumi.ToStringArray([]string{"docs"}),
	}))
	batch := must(kubernetes.NewNodePool(ctx, "batch", &kubernetes.NodePoolArgs{
		ClusterId: workers.ID(),
		Type:      pulumi.String("g6-standard-4"),
		Count:     pulumi.Int(1),
	}))

	kubernetes.GetClustersOutput(ctx, kubernetes.GetClustersOutputArgs{Tag: pulumi.String("docs")}, after(workers))
	kubernetes.LookupClusterOutput(ctx, kubernetes.LookupClusterOutputArgs{Id: workers.ID()})
	kubernetes.GetNodePoolsOutput(ctx, kubernetes.GetNodePoolsOutputArgs{ClusterId: workers.ID()})
	kubernetes.LookupNodePoolOutput(ctx, kubernetes.LookupNodePoolOutputArgs{
		ClusterId: workers.ID(),
		PoolId:    batch.PoolId,
	})
	node := kubernetes.GetNodeOutput(ctx, kubernetes.GetNodeOutputArgs{
		ClusterId: workers.ID(),
		NodeId:    workers.Nodes.MapIndex(pulumi.String("small")).Index(pulumi.Int(0)).Id(),
	})
	kubernetes.GetKubeconfigOutput(ctx, kubernetes.GetKubeconfigOutputArgs{ClusterId: workers.ID()})
	kubernetes.GetDashboardOutput(ctx, kubernetes.GetDashboardOutputArgs{ClusterId: workers.ID()})
	kubernetes.GetApiEndpointsOutput(ctx, kubernetes.GetApiEndpointsOutputArgs{ClusterId: workers.ID()})
	kubernetes.GetVersionsOutput(ctx, kubernetes.GetVersionsOutputArgs{})
	kubernetes.GetVersionOutput(ctx, kubernetes.GetVersionOutputArgs{Id: pulumi.String("1.28")})
	ctx.Export("nodeStatus", node.Status())
}

func declareMonitoring(ctx *pulumi.Context, computeId pulumi.String) {
	onCall := must(managed.NewContact(ctx, "onCall", &managed.ContactArgs{
		Name:  pulumi.String("On call"),
		Email: pulumi.String("oncall@functions.example"),
		Group: pulumi.String("operations"),
	}))
	login := must(managed.NewCredential(ctx, "login", &managed.CredentialArgs{
		Label:    pulumi.String("functions-login"),
		Username: pulumi.String("monitor"),
		Password: pulumi.String("not-a-real-password"),
	}))
	watch := must(managed.NewService(ctx, "watch", &managed.ServiceArgs{
		Label:             pulumi.String("functions-web"),
		ServiceType:       managed.ServiceTypeUrl,
		Address:           pulumi.String("https://functions.example"),
		Timeout:           pulumi.Int(30),
		ConsultationGroup: pulumi.String("operations"),
	}))
	support := must(managed.NewInstanceSettings(ctx, "support", &managed.InstanceSettingsArgs{
		ComputeId: computeId,
		Ssh:       &managed.InstanceSshArgs{User: pulumi.String("support"), Port: pulumi.Int(2222)},
	}))

	managed.LookupContactOutput(ctx, managed.LookupContactOutputArgs{Id: onCall.ID()})
	managed.GetContactsOutput(ctx, managed.GetContactsOutputArgs{Group: pulumi.String("operations")}, after(onCall))
	managed.LookupCredentialOutput(ctx, managed.LookupCredentialOutputArgs{Id: login.ID()})
	managed.GetCredentialsOutput(ctx, managed.GetCredentialsOutputArgs{}, after(login))
	managed.LookupServiceOutput(ctx, managed.LookupServiceOutputArgs{Id: watch.ID()})
	managed.GetServicesOutput(ctx, managed.GetServicesOutputArgs{ConsultationGroup: pulumi.String("operations")}, after(watch))
	managed.LookupInstanceSettingsOutput(ctx, managed.LookupInstanceSettingsOutputArgs{ComputeId: support.ComputeId})
	managed.GetIssuesOutput(ctx, managed.GetIssuesOutputArgs{ServiceId: watch.ID()})
	managed.GetStatsOutput(ctx, managed.GetStatsOutputArgs{})
	managed.GetSshKeyOutput(ctx, managed.GetSshKeyOutputArgs{})
	// Only an issue that there is can be asked about: `pulumi config set issueId ID`.
	if issueId := config.Get(ctx, "issueId"); issueId != "" {
		managed.GetIssueOutput(ctx, managed.GetIssueOutputArgs{Id: pulumi.String(issueId)})
	}
}
