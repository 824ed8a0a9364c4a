import { protobufMediaType, type Scheme } from "@orchernetes/apimachinery";

/** The media type that every API server reads and writes, for every kind. */
export const jsonMediaType = "application/json";

/**
 * The media types of a client's requests and responses ("Alternate representations of resources" in the API concepts). They hold for
 * objects of the kinds in the scheme; all others are JSON, because only these kinds have another form.
 */
export interface ContentTypes {
  /** Of the bodies of creates, updates and deletions. Patches have their own. */
  readonly contentType: typeof jsonMediaType | typeof protobufMediaType;
  /** The header `Accept`. Whatever the server chooses of it is read. */
  readonly accept: string;
  /** The kinds that have a protobuf form. */
  readonly scheme: Scheme;
}

/** The settings of a daemon, and which of them somebody gave. */
export interface GivenSettings {
  /** Whether a flag or the file sets a field, by dotted path. */
  isGiven(field: string): boolean;
  /** The value of a field, "" if it has none. */
  text(field: string): string;
}

/**
 * The media types that the settings of a daemon ask for. Only those that somebody gave count, although the documents have protobuf as
 * their default: JSON, which the engine parses natively, costs this client and the server a fraction of the time (see ADR 27).
 *
 * @param section path of the section with `contentType` and `acceptContentTypes`; "" is the document
 * @param load imports the scheme, if it is needed: `() => import("@orchernetes/api/scheme")`
 * @returns undefined for JSON alone
 */
export async function givenContentTypes(
  settings: GivenSettings,
  section: string,
  load: () => Promise<{ readonly loadScheme: () => Promise<Scheme> }>,
): Promise<ContentTypes | undefined> {
  const given = (name: string): string => {
    const field = section === "" ? name : `${section}.${name}`;
    return settings.isGiven(field) ? settings.text(field) : "";
  };
  const contentType = given("contentType") === protobufMediaType ? protobufMediaType : jsonMediaType;
  const own = contentType === jsonMediaType ? jsonMediaType : `${protobufMediaType},${jsonMediaType}`;
  const accept = given("acceptContentTypes") || own;
  if (contentType === jsonMediaType && accept === jsonMediaType) return undefined;
  const { loadScheme } = await load();
  return { contentType, accept, scheme: await loadScheme() };
}
