/** What the package says of itself, and what it and its parts are called in each language. */

import { packageName } from "../token.ts";
import { version } from "../version.ts";

/** Under a name that nobody can own, until there is a place of its own: a plugin is never fetched from somebody else's. */
const home = "https://plumbline.example";

const description =
  "Domains, private networks, volumes and more of a cloud account, kept true to their declared state.";

/** Told in the SDKs, where programs are written. */
const readme = `${description}

The plugin is installed by \`pulumi plugin install resource plumbline ${version}\`, with \`--file\` and its archive, or with \`--server\` and the address that
releases are at. Where the service is, and as whom to call it, is told by \`PLUMBLINE_BASE_URL\` and \`PLUMBLINE_TOKEN\`, or by the configuration
\`plumbline:baseUrl\` and \`plumbline:token\`.`;

export const introduction = {
  name: packageName,
  displayName: "Plumbline",
  version,
  description,
  keywords: ["pulumi", "plumbline", "category/cloud", "kind/native"],
  license: "Apache-2.0",
  publisher: "Plumbline",
  homepage: home,
  repository: `${home}/plumbline`,
  pluginDownloadURL: `${home}/releases/v\${VERSION}`,
  meta: { moduleFormat: "(.*)(?:/[^/]*)" },
};

const namespaces = {
  blockstorage: "BlockStorage",
  compute: "Compute",
  databases: "Databases",
  dns: "Dns",
  kubernetes: "Kubernetes",
  managed: "Managed",
  objectstorage: "ObjectStorage",
  plumbline: "Pulumi",
  vpc: "Vpc",
};

export const languages = {
  nodejs: {
    packageName: "@plumbline/pulumi",
    packageDescription: "Plumbline's resources for Pulumi programs.",
    readme,
    respectSchemaVersion: true,
    dependencies: { "@pulumi/pulumi": "^3.230.0" },
  },
  python: {
    packageName: "plumbline_pulumi",
    readme,
    respectSchemaVersion: true,
    pyproject: { enabled: true },
    inputTypes: "classes-and-dicts",
    requires: { pulumi: ">=3.230.0,<4.0.0" },
  },
  go: {
    modulePath: "plumbline.example/sdk/go/plumbline",
    importBasePath: "plumbline.example/sdk/go/plumbline",
    respectSchemaVersion: true,
  },
  csharp: { rootNamespace: "Plumbline", namespaces, respectSchemaVersion: true },
};
