import { MAX_SCORE, type ScorePlugin } from "../framework/interfaces.ts";

const MB = 1024 * 1024;
/** Images smaller than this in total have no effect. */
const LEAST = 23 * MB;
/** Limit of the size that counts, per container. */
const MOST = 1000 * MB;

/** The name as nodes report it: `latest` unless there is a tag or digest. */
const normalized = (image: string): string =>
  image.lastIndexOf(":") > image.lastIndexOf("/") || image.includes("@") ? image : `${image}:latest`;

/**
 * Score ImageLocality: prefers nodes that have the pod's images, by their size. An image counts by the share of nodes
 * that have it, so that pods do not accumulate on the few nodes that pulled it first.
 */
export const imageLocality: ScorePlugin = {
  name: "ImageLocality",
  score({ pod }, nodes) {
    const { containers } = pod.spec;
    const present = containers
      .map(({ image }) => nodes.images.sizes(normalized(image ?? "")))
      .filter((sizes) => sizes !== undefined);
    if (present.length === 0) return undefined;
    const most = MOST * containers.length;
    return (slots, scores) => {
      for (let i = 0; i < slots.length; i++) {
        let sum = 0;
        for (const sizes of present) sum += Math.floor((sizes.get(slots[i] ?? 0) ?? 0) * (sizes.size / nodes.size));
        const bounded = Math.min(Math.max(sum, LEAST), most);
        scores[i] = Math.floor((MAX_SCORE * (bounded - LEAST)) / (most - LEAST));
      }
    };
  },
};
