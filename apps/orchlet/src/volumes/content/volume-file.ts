/** A file of a volume. */
export interface VolumeFile {
  readonly content: Buffer;
  /** Permission bits. */
  readonly mode: number;
  /** Owner. @default root */
  readonly uid?: number | undefined;
}

/** The files of a volume by their relative paths. */
export type VolumeContent = ReadonlyMap<string, VolumeFile>;

/** Link to the directory with the current files. Some programs watch this name, which is that of Kubernetes. */
export const dataLink = "..data";

/** The directory to which {@link dataLink} points; undefined if the target is not a name that this agent gives to such directories. */
export const dataFolder = (target: string): string | undefined => (/^\.\.[^/]+$/.test(target) ? target : undefined);

/** The names in the folder itself. */
export const visibleNames = (content: VolumeContent): ReadonlySet<string> =>
  new Set([...content.keys()].map((path) => path.split("/")[0] ?? path));
