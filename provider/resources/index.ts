/** Every resource type, every function and every verb of an area, listed once. */

import type { AreaVerb } from "../core/type/area-verb.ts";
import type { FunctionType } from "../core/type/function.ts";
import type { ResourceType } from "../core/type/resource.ts";
import { getVolume, getVolumes } from "./blockstorage/functions.ts";
import { Volume } from "./blockstorage/volume.ts";
import { getStackScript, getStackScripts } from "./compute/functions.ts";
import { StackScript } from "./compute/stackscript.ts";
import {
  getBackup,
  getBackups,
  getCaCertificate,
  getCredentials,
  getDatabases,
} from "./databases/functions.ts";
import {
  getMySqlInstance,
  getMySqlInstances,
  getPostgreSqlInstance,
  getPostgreSqlInstances,
  MySqlInstance,
  PostgreSqlInstance,
} from "./databases/instances.ts";
import { getEngine, getEngines, getType, getTypes } from "./databases/offers.ts";
import { Snapshot } from "./databases/snapshot.ts";
import { Domain } from "./dns/domain.ts";
import { getDomain, getDomains, getRecords, getZoneFile } from "./dns/functions.ts";
import { Record } from "./dns/record/record.ts";
import { Zone } from "./dns/zone/zone.ts";
import { Cluster } from "./kubernetes/cluster.ts";
import {
  getCluster as getKubernetesCluster,
  getClusters as getKubernetesClusters,
  getNode,
  getNodePool,
  getNodePools,
} from "./kubernetes/functions.ts";
import { NodePool } from "./kubernetes/node-pool.ts";
import { getApiEndpoints, getDashboard, getKubeconfig, getVersion, getVersions } from "./kubernetes/views.ts";
import { Contact } from "./managed/contact.ts";
import { Credential } from "./managed/credential.ts";
import {
  getContact,
  getContacts,
  getCredential,
  getInstanceSettings,
  getCredentials as getManagedCredentials,
  getService,
  getServices,
} from "./managed/functions.ts";
import { InstanceSettings } from "./managed/instance-settings.ts";
import { getIssue, getIssues, getSshKey, getStats } from "./managed/monitoring.ts";
import { Service } from "./managed/service.ts";
import { Bucket } from "./objectstorage/bucket.ts";
import { cancel } from "./objectstorage/cancel.ts";
import { BucketCertificate } from "./objectstorage/certificate.ts";
import { getBucketCertificate, getObjectAcl, getObjects, getObjectUrl } from "./objectstorage/contents.ts";
import { getBucket, getBuckets, getCluster, getClusters, getTransfer } from "./objectstorage/functions.ts";
import { getKey, getKeys, Key } from "./objectstorage/key.ts";
import { StoredObject } from "./objectstorage/object.ts";
import { ObjectAcl } from "./objectstorage/object-acl.ts";
import { getSubnet, getSubnets, getVpc, getVpcs } from "./vpc/functions.ts";
import { getVpcIps } from "./vpc/ips.ts";
import { Subnet } from "./vpc/subnet.ts";
import { Vpc } from "./vpc/vpc.ts";

export const resourceTypes: readonly ResourceType[] = [
  Domain,
  Record,
  Zone,
  Vpc,
  Subnet,
  Volume,
  StackScript,
  MySqlInstance,
  PostgreSqlInstance,
  Snapshot,
  Bucket,
  BucketCertificate,
  StoredObject,
  ObjectAcl,
  Key,
  Cluster,
  NodePool,
  Contact,
  Service,
  Credential,
  InstanceSettings,
];

export const functionTypes: readonly FunctionType[] = [
  getDomain,
  getDomains,
  getRecords,
  getZoneFile,
  getVpc,
  getVpcs,
  getSubnet,
  getSubnets,
  getVpcIps,
  getVolume,
  getVolumes,
  getStackScript,
  getStackScripts,
  getEngines,
  getEngine,
  getTypes,
  getType,
  getDatabases,
  getMySqlInstance,
  getMySqlInstances,
  getPostgreSqlInstance,
  getPostgreSqlInstances,
  getBackups,
  getBackup,
  getCredentials,
  getCaCertificate,
  getBuckets,
  getBucket,
  getClusters,
  getCluster,
  getKeys,
  getKey,
  getObjects,
  getObjectAcl,
  getObjectUrl,
  getBucketCertificate,
  getTransfer,
  getKubernetesClusters,
  getKubernetesCluster,
  getNodePools,
  getNodePool,
  getNode,
  getKubeconfig,
  getDashboard,
  getApiEndpoints,
  getVersions,
  getVersion,
  getContact,
  getContacts,
  getCredential,
  getManagedCredentials,
  getService,
  getServices,
  getInstanceSettings,
  getIssue,
  getIssues,
  getStats,
  getSshKey,
];

export const areaVerbs: readonly AreaVerb[] = [cancel];
