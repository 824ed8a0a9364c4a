import type { core } from "@orchernetes/api";

type Images = readonly { readonly name: string; readonly image?: string | undefined }[];

const sameImages = (now: Images, before: Images): boolean =>
  now.length === before.length && now.every(({ image }, index) => image === before[index]?.image);

/** Whether an update changes what may change of a pod and concerns its security: containers, images, ephemeral containers. */
export function isSignificantUpdate({ spec: now }: core.Pod, { spec: before }: core.Pod): boolean {
  if (!sameImages(now.containers, before.containers)) return true;
  if (!sameImages(now.initContainers ?? [], before.initContainers ?? [])) return true;
  const known: Images = before.ephemeralContainers ?? [];
  return (now.ephemeralContainers ?? []).some(({ name, image }) => {
    const old = known.find((one) => one.name === name);
    return old === undefined || old.image !== image;
  });
}
