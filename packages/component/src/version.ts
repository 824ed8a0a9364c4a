/** The body of `/version`. The field names are the API's; `goVersion` and `compiler` name the runtime. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

const architectures: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };

/** The platform in the field's notation, such as `linux/amd64`. */
export const platform = `${process.platform}/${architectures[process.arch] ?? process.arch}`;

/** The version of this build: the API level, then what built it. */
export const version: VersionInfo = Object.freeze({
  major: "1",
  minor: "27",
  gitVersion: "v1.27.16+orchernetes",
  gitCommit: "0000000000000000000000000000000000000000",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: `node${process.versions.node}`,
  compiler: "v8",
  platform,
});

/** The texts of `--version` and `--version=raw`. */
export function versionTexts(info: VersionInfo = version): { readonly text: string; readonly raw: string } {
  const fields = Object.entries(info).map(([name, value]) => {
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return `${title}:${JSON.stringify(value)}`;
  });
  return { text: info.gitVersion, raw: `version.Info{${fields.join(", ")}}` };
}
