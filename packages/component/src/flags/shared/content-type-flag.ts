import { contentTypeWanted, defaultContentType } from "@orchernetes/config/content-types";

/** `--orch-api-content-type`: a row without its field. */
export const contentTypeFlag = {
  type: "string",
  default: defaultContentType,
  validate: contentTypeWanted,
  help: "Content type of requests to the API server: application/vnd.orchernetes.protobuf or application/json. Unless it is set, requests are JSON, which costs less here.",
} as const;
