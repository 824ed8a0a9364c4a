/**
 * How the C library gives memory to daemons that are mostly idle. By default each of Node's ten threads allocates in an arena of its own,
 * and what one of them frees no other uses;
 * once a large block has been freed, blocks of its size stay in an arena, too (mallopt(3), `M_MMAP_THRESHOLD`).
 */
const SPARING_MALLOC = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "131072",
  MALLOC_MMAP_THRESHOLD_: "131072",
} as const;

/**
 * What a daemon's environment has before it starts: the C library reads it before any code of Node runs. All ways of starting a daemon
 * have it from here but the composition of containers, which states it.
 *
 * @returns values by names
 */
export const environmentOf = (name: string): Readonly<Record<string, string>> =>
  name === "orchlet" ? SPARING_MALLOC : {};
