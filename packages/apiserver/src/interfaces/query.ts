/** The parsed query of a URL. It is read only: requests with the same query share it. */
export type Query = Pick<URLSearchParams, "get" | "getAll" | "has" | "keys" | "size">;
