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

/** The names in the folder itself. */
export const visibleNames = (content: VolumeContent): ReadonlySet<string> =>
  new Set([...content.keys()].map((path) => path.split("/")[0] ?? path));
