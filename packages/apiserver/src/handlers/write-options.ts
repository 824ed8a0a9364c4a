import { badRequest, type FieldError, field, invalid, literal, validateFieldManager } from "@orchernetes/apimachinery";
import { isTrue } from "../http/request-info.ts";
import type { Query } from "../interfaces/index.ts";

/** What to do with unknown and duplicate fields (KEP-2885). */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Query parameters of creates, updates and patches. */
export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** The options object as admission shows it. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** Returns the error of a list of dryRun values, or undefined. Only "All" is valid. */
function checkDryRun(values: readonly string[]): FieldError | undefined {
  if (values.every((value) => value === "All")) return undefined;
  const shown = literal(`[]string{${values.map((value) => JSON.stringify(value)).join(", ")}}`);
  return field.notSupported("dryRun", shown, ["All"]);
}

const validations: ReadonlySet<string> = new Set(["", "Ignore", "Warn", "Strict"]);

const defaultsOf = (kind: string): WriteQuery =>
  Object.freeze({
    dryRun: false,
    fieldManager: "",
    fieldValidation: "Warn",
    options: Object.freeze({ kind, apiVersion: "meta.o8s.io/v1" }),
  });

/** The options of writes without a query, which are most of them. */
const defaults = {
  CreateOptions: defaultsOf("CreateOptions"),
  UpdateOptions: defaultsOf("UpdateOptions"),
  PatchOptions: defaultsOf("PatchOptions"),
} as const;

/**
 * Reads the write options of a request.
 *
 * @throws ApiError Invalid for values outside their range; all errors are reported together
 */
export function parseWriteQuery(kind: "CreateOptions" | "UpdateOptions" | "PatchOptions", query: Query): WriteQuery {
  if (query.size === 0) return defaults[kind];
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const fieldManager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const errors: FieldError[] = [];
  const error = checkDryRun(dryRun);
  if (error !== undefined) errors.push(error);
  if (fieldManager !== "") errors.push(...validateFieldManager(fieldManager, "fieldManager"));
  if (!validations.has(validation)) {
    errors.push(field.notSupported("fieldValidation", validation, ["", "Ignore", "Strict", "Warn"]));
  }
  if (errors.length > 0) throw invalid({ group: "meta.o8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
    options: {
      kind,
      apiVersion: "meta.o8s.io/v1",
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(fieldManager === "" ? {} : { fieldManager }),
      ...(validation === "" ? {} : { fieldValidation: validation }),
    },
  };
}

/** The options of a delete, from body or query, validated. */
export interface DeleteQuery {
  readonly dryRun: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly orphanDependents: boolean | undefined;
  readonly propagationPolicy: "Orphan" | "Background" | "Foreground" | undefined;
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
  readonly options: Readonly<Record<string, unknown>>;
}

const policies: ReadonlySet<string> = new Set(["Orphan", "Background", "Foreground"]);
const integer = /^-?[0-9]{1,15}$/;

/** The fields of DeleteOptions, decoded by the schema. */
export interface DeleteBody {
  readonly gracePeriodSeconds?: number | undefined;
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly dryRun?: readonly string[] | undefined;
}

/** Delete options of the query. @throws ApiError BadRequest */
function fromQuery(query: Query): DeleteBody {
  const grace = query.get("gracePeriodSeconds");
  if (grace !== null && grace !== "" && !integer.test(grace)) {
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(grace)}: invalid syntax`);
  }
  const orphan = query.get("orphanDependents");
  const policy = query.get("propagationPolicy");
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const uid = query.get("uid") || undefined;
  const resourceVersion = query.get("resourceVersion") || undefined;
  return {
    ...(grace === null || grace === "" ? {} : { gracePeriodSeconds: Number(grace) }),
    ...(orphan === null ? {} : { orphanDependents: isTrue(orphan) }),
    ...(policy === null || policy === "" ? {} : { propagationPolicy: policy }),
    ...(uid === undefined && resourceVersion === undefined ? {} : { preconditions: { uid, resourceVersion } }),
    ...(dryRun.length > 0 ? { dryRun } : {}),
  };
}

/**
 * Validates delete options. A body replaces the query altogether, as upstream ignores the query of a request with a
 * body.
 *
 * @throws ApiError BadRequest, Invalid
 */
export function parseDeleteOptions(body: DeleteBody | undefined, query: Query): DeleteQuery {
  const given = body ?? fromQuery(query);
  const errors: FieldError[] = [];
  const policy = given.propagationPolicy;
  if (policy !== undefined && given.orphanDependents !== undefined) {
    errors.push(
      field.invalid("propagationPolicy", policy, "orphanDependents and deletionPropagation cannot be both set"),
    );
  }
  if (policy !== undefined && !policies.has(policy)) {
    errors.push(field.notSupported("propagationPolicy", policy, ["Foreground", "Background", "Orphan", "nil"]));
  }
  const dryRun = given.dryRun ?? [];
  const error = checkDryRun(dryRun);
  if (error !== undefined) errors.push(error);
  if (errors.length > 0) throw invalid({ group: "meta.o8s.io", kind: "DeleteOptions" }, "", errors);
  const uid = given.preconditions?.uid;
  const resourceVersion = given.preconditions?.resourceVersion;
  return {
    dryRun: dryRun.length > 0,
    // A negative grace period means the shortest one, 1 s (upstream: `rest.BeforeDelete`).
    gracePeriodSeconds:
      given.gracePeriodSeconds === undefined ? undefined : given.gracePeriodSeconds < 0 ? 1 : given.gracePeriodSeconds,
    orphanDependents: given.orphanDependents,
    propagationPolicy: policy as DeleteQuery["propagationPolicy"],
    preconditions:
      uid === undefined && resourceVersion === undefined
        ? undefined
        : { ...(uid === undefined ? {} : { uid }), ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    options: { ...given, kind: "DeleteOptions", apiVersion: "meta.o8s.io/v1" },
  };
}
