import type { core } from "@orchernetes/api";
import { fieldValue, type PodFacts, resourceValue } from "../../objects/field-refs.ts";
import type { ObjectReader } from "../../objects/object-reader.ts";
import type { VolumeContent, VolumeFile } from "./volume-file.ts";

/** Limit of the files of all volumes of a pod that the agent generates, in bytes. */
const maxPodBytes = 100 * 1024 * 1024;

/**
 * Adds up the files that the agent generates for a pod. They take its memory while they are written, and that of the node if they are on
 * tmpfs, where nothing charges them to the pod; and a volume may name one key of an object many thousand times.
 *
 * @throws Error beyond the limit
 */
export function createContentLimit(): (bytes: number) => void {
  let total = 0;
  return (bytes) => {
    total += bytes;
    if (total > maxPodBytes)
      throw new Error(`the volumes of the pod have more than ${maxPodBytes} bytes of objects of the API`);
  };
}

/** The files of a volume, which are counted before the next one is made. */
class CountedFiles {
  readonly files = new Map<string, VolumeFile>();
  readonly #count: (bytes: number) => void;

  constructor(count: (bytes: number) => void) {
    this.#count = count;
  }

  set(path: string, file: VolumeFile): void {
    this.#count(path.length + file.content.length);
    this.files.set(path, file);
  }
}

/** Default of `defaultMode`. */
const usualMode = 0o644;

/** The sources of the content of a pod's volumes. */
export interface ContentSources {
  readonly objects: ObjectReader;
  readonly facts: PodFacts;
  /** Returns a token of the pod's service account. */
  token(pod: core.Pod, projection: core.ServiceAccountTokenProjection): Promise<string>;
}

/** Whether the agent generates the files of the volume from objects of the API. */
export function isApiVolume(volume: core.Volume): boolean {
  return [volume.configMap, volume.secret, volume.downwardAPI, volume.projected].some((source) => source !== undefined);
}

/**
 * The files of a configMap, secret, downwardAPI or projected volume.
 *
 * @param count counts the bytes of the files @default a limit for this volume alone
 * @throws Error if an object or key that is not optional is missing, a token cannot be created, or the files are too large
 */
export async function contentOf(
  pod: core.Pod,
  volume: core.Volume,
  sources: ContentSources,
  count: (bytes: number) => void = createContentLimit(),
): Promise<VolumeContent> {
  const { configMap, secret, downwardAPI, projected } = volume;
  const files = new CountedFiles(count);
  if (configMap !== undefined) {
    await addConfigMap(files, pod, configMap, configMap.defaultMode ?? usualMode, sources);
  } else if (secret !== undefined) {
    await addSecret(files, pod, { ...secret, name: secret.secretName ?? "" }, secret.defaultMode ?? usualMode, sources);
  } else if (downwardAPI !== undefined) {
    addFields(files, pod, downwardAPI.items ?? [], downwardAPI.defaultMode ?? usualMode, sources);
  } else if (projected !== undefined) {
    const mode = projected.defaultMode ?? usualMode;
    for (const source of projected.sources ?? []) {
      if (source.configMap !== undefined) await addConfigMap(files, pod, source.configMap, mode, sources);
      if (source.secret !== undefined) await addSecret(files, pod, source.secret, mode, sources);
      if (source.downwardAPI !== undefined) addFields(files, pod, source.downwardAPI.items ?? [], mode, sources);
      if (source.serviceAccountToken !== undefined) {
        const token = await sources.token(pod, source.serviceAccountToken);
        files.set(source.serviceAccountToken.path, tokenFile(pod, token, mode));
      }
    }
  }
  return files.files;
}

/**
 * The file of a token. Only the user of the pod's processes should be able to read it, and the group of the pod's volumes: the file
 * belongs to the user if all containers run as the same one. Source: KEP-1205.
 */
function tokenFile({ spec }: core.Pod, token: string, mode: number): VolumeFile {
  const { fsGroup } = spec.securityContext ?? {};
  const users = new Set(
    [...spec.containers, ...(spec.initContainers ?? [])].map(
      (c) => c.securityContext?.runAsUser ?? spec.securityContext?.runAsUser,
    ),
  );
  const [user] = users;
  const content = Buffer.from(token);
  const owner = users.size === 1 && user !== undefined ? { uid: user } : {};
  if (fsGroup !== undefined) return { content, mode: 0o640, ...owner };
  return { content, mode: owner.uid === undefined ? mode : 0o600, ...owner };
}

interface KeyedSource {
  readonly name?: string | undefined;
  readonly items?: readonly core.KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
}

/** The object of a source; undefined if it is missing and optional. @throws Error if it is missing otherwise */
function found<T>(kind: string, { name = "", optional }: KeyedSource, object: T | undefined): T | undefined {
  if (object === undefined && !optional) throw new Error(`${kind} "${name}" not found`);
  return object;
}

async function addConfigMap(
  files: CountedFiles,
  pod: core.Pod,
  source: KeyedSource,
  mode: number,
  { objects }: ContentSources,
): Promise<void> {
  const map = found("configmap", source, await objects.configMap(pod.metadata.namespace ?? "", source.name ?? ""));
  if (map === undefined) return;
  const { data = {}, binaryData = {} } = map;
  const textOf = (key: string) => (Object.hasOwn(data, key) ? Buffer.from(data[key] ?? "") : undefined);
  addKeys(
    files,
    () => Object.keys({ ...data, ...binaryData }),
    (key) => fromBase64(binaryData, key) ?? textOf(key),
    source,
    mode,
  );
}

async function addSecret(
  files: CountedFiles,
  pod: core.Pod,
  source: KeyedSource,
  mode: number,
  { objects }: ContentSources,
): Promise<void> {
  const secret = found("secret", source, await objects.secret(pod.metadata.namespace ?? "", source.name ?? ""));
  if (secret === undefined) return;
  const { data = {} } = secret;
  addKeys(
    files,
    () => Object.keys(data),
    (key) => fromBase64(data, key),
    source,
    mode,
  );
}

const fromBase64 = (data: Readonly<Record<string, unknown>>, key: string): Buffer | undefined =>
  Object.hasOwn(data, key) ? Buffer.from(String(data[key]), "base64") : undefined;

/** Adds all keys of an object, or those that `items` selects. Others are not decoded. */
function addKeys(
  files: CountedFiles,
  keys: () => readonly string[],
  contentOf: (key: string) => Buffer | undefined,
  { items, optional }: KeyedSource,
  mode: number,
): void {
  const all = items === undefined || items.length === 0;
  for (const item of all ? keys().map((key): core.KeyToPath => ({ key, path: key })) : items) {
    const content = contentOf(item.key);
    if (content !== undefined) files.set(item.path, { content, mode: item.mode ?? mode });
    else if (!optional) throw new Error(`references non-existent config key: ${item.key}`);
  }
}

function addFields(
  files: CountedFiles,
  pod: core.Pod,
  items: readonly core.DownwardAPIVolumeFile[],
  mode: number,
  { facts }: ContentSources,
): void {
  for (const { path, fieldRef, resourceFieldRef, mode: own } of items) {
    const text =
      fieldRef !== undefined
        ? fieldValue(pod, fieldRef.fieldPath, facts)
        : resourceFieldRef !== undefined
          ? resourceValue(pod, resourceFieldRef, undefined, facts)
          : "";
    files.set(path, { content: Buffer.from(text), mode: own ?? mode });
  }
}
