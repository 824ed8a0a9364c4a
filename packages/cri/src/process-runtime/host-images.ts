import { createHash } from "node:crypto";
import { CriError } from "../client/cri-error.ts";
import { busyboxImage, pauseCommand, pauseImage } from "../images/busybox-images.ts";
import type { Image } from "../v1/image.ts";

/** Default command of an image of the process runtime. Images contain no files: commands are those of the host. */
export interface HostImage {
  readonly reference: string;
  readonly entrypoint: readonly string[];
  readonly cmd: readonly string[];
}

/** The images that the process runtime reports. */
export interface HostImages {
  /** All images that were listed or used. */
  list(): Image[];
  /** An image by reference or id; undefined unless it is listed or under `localhost/`. */
  find(reference: string): Image | undefined;
  /**
   * Adds an image to the list.
   *
   * @throws CriError NotFound for an image that is neither listed nor under `localhost/`
   */
  pull(reference: string): Image;
  /** Defaults of an image. @throws CriError NotFound as for `pull` */
  defaults(reference: string): HostImage;
}

/**
 * Creates the list of images.
 * @param listed - references that are present in addition to `localhost/…`
 */
export function createHostImages(listed: readonly string[]): HostImages {
  const known = new Map<string, Image>();
  for (const reference of [busyboxImage, pauseImage, ...listed]) add(withTag(reference));

  function add(reference: string): Image {
    const image: Image = {
      id: `sha256:${createHash("sha256").update(reference).digest("hex")}`,
      repoTags: [reference],
      repoDigests: [],
      size: 0,
      username: "",
      pinned: reference === pauseImage,
      spec: { image: reference, annotations: {} },
    };
    known.set(reference, image);
    return image;
  }

  function find(reference: string): Image | undefined {
    const byId = [...known.values()].find(({ id }) => id === reference || id === `sha256:${reference}`);
    if (byId !== undefined) return byId;
    const tagged = withTag(reference);
    return known.get(tagged) ?? (tagged.startsWith("localhost/") ? add(tagged) : undefined);
  }

  function pull(reference: string): Image {
    const image = find(reference);
    if (image !== undefined) return image;
    throw new CriError(
      "PullImage",
      "NotFound",
      `failed to pull image "${reference}": the process runtime has no registry; it accepts ${[...known.keys()].join(", ")} and names under localhost/`,
    );
  }

  return {
    list: () => [...known.values()],
    find,
    pull,
    defaults(reference) {
      const [name = reference] = pull(reference).repoTags;
      if (name === pauseImage) return { reference: name, entrypoint: pauseCommand, cmd: [] };
      return { reference: name, entrypoint: [], cmd: ["sh"] };
    },
  };
}

/** A reference without tag and digest means the tag `latest`, as everywhere. */
function withTag(reference: string): string {
  return /[:@][^/]*$/.test(reference) ? reference : `${reference}:latest`;
}
