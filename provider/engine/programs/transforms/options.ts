/** The options of a registration as a transform is told them, and back. */

import alias from "@pulumi/pulumi/proto/alias_pb.js";
import resource, {
  type RegisterResourceRequest,
  type TransformResourceOptions,
} from "@pulumi/pulumi/proto/resource_pb.js";

export function optionsIn(request: RegisterResourceRequest): TransformResourceOptions {
  const options = new resource.TransformResourceOptions();
  options.setDependsOnList(request.getDependenciesList());
  options.setIgnoreChangesList(request.getIgnorechangesList());
  options.setReplaceOnChangesList(request.getReplaceonchangesList());
  options.setAdditionalSecretOutputsList(request.getAdditionalsecretoutputsList());
  options.setHideDiffList(request.getHidediffsList());
  options.setReplaceWithList(request.getReplaceWithList());
  options.setAliasesList([...request.getAliasurnsList().map(ofUrn), ...request.getAliasesList()]);
  options.setVersion(request.getVersion());
  options.setPluginDownloadUrl(request.getPlugindownloadurl());
  options.setProvider(request.getProvider());
  options.setDeletedWith(request.getDeletedwith());
  options.setImport(request.getImportid());
  options.setCustomTimeouts(request.getCustomtimeouts());
  options.setHooks(request.getHooks());
  options.setReplacementTrigger(request.getReplacementTrigger());
  const providers = options.getProvidersMap();
  for (const [name, provider] of request.getProvidersMap().entries()) providers.set(name, provider);
  if (request.hasProtect()) options.setProtect(request.getProtect()!);
  if (request.hasRetainondelete()) options.setRetainOnDelete(request.getRetainondelete()!);
  if (request.getDeletebeforereplacedefined())
    options.setDeleteBeforeReplace(request.getDeletebeforereplace());
  return options;
}

/** All but `dependsOn`. */
export function putOptions(request: RegisterResourceRequest, options: TransformResourceOptions): void {
  request.setIgnorechangesList(options.getIgnoreChangesList());
  request.setReplaceonchangesList(options.getReplaceOnChangesList());
  request.setAdditionalsecretoutputsList(options.getAdditionalSecretOutputsList());
  request.setHidediffsList(options.getHideDiffList());
  request.setReplaceWithList(options.getReplaceWithList());
  request.setAliasurnsList([]);
  request.setAliasesList(options.getAliasesList());
  request.setVersion(options.getVersion());
  request.setPlugindownloadurl(options.getPluginDownloadUrl());
  request.setProvider(options.getProvider());
  request.setDeletedwith(options.getDeletedWith());
  request.setImportid(options.getImport());
  request.setCustomtimeouts(options.getCustomTimeouts());
  request.setHooks(options.getHooks());
  request.setReplacementTrigger(options.getReplacementTrigger());
  const providers = request.getProvidersMap();
  request.clearProvidersMap();
  for (const [name, provider] of options.getProvidersMap().entries()) providers.set(name, provider);
  if (options.hasProtect()) request.setProtect(options.getProtect()!);
  else request.clearProtect();
  if (options.hasRetainOnDelete()) request.setRetainondelete(options.getRetainOnDelete()!);
  else request.clearRetainondelete();
  request.setDeletebeforereplacedefined(options.hasDeleteBeforeReplace());
  request.setDeletebeforereplace(options.getDeleteBeforeReplace() ?? false);
}

function ofUrn(urn: string): alias.Alias {
  const given = new alias.Alias();
  given.setUrn(urn);
  return given;
}
