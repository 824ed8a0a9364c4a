import { type FieldError, invalid } from "@orchernetes/apimachinery";

/** The query of a log request that is passed on to the node agent. */
const PASSED_ON = ["follow", "previous", "sinceSeconds", "sinceTime", "timestamps", "tailLines", "limitBytes"] as const;

const integer = /^[+-]?\d+$/;

/** Checks the options of a log request and gives the agent's query. @throws ApiError Invalid */
export function logQuery(query: URLSearchParams, podName: string): URLSearchParams {
  const errors: FieldError[] = [];
  const bad = (field: string, shown: string, detail: string) =>
    errors.push({ type: "FieldValueInvalid", field, message: `Invalid value: ${shown}: ${detail}` });
  const check = (field: string, minimum: number, detail: string) => {
    const text = query.get(field);
    if (text === null) return;
    if (!integer.test(text)) bad(field, JSON.stringify(text), "must be an integer");
    else if (Number(text) < minimum) bad(field, String(Number(text)), detail);
  };
  check("tailLines", 0, "must be greater than or equal to 0");
  check("limitBytes", 1, "must be greater than 0");
  check("sinceSeconds", 1, "must be greater than 0");
  const sinceTime = query.get("sinceTime");
  if (sinceTime !== null && Number.isNaN(Date.parse(sinceTime)))
    bad("sinceTime", JSON.stringify(sinceTime), "must be a time as in RFC 3339");
  if (sinceTime !== null && query.get("sinceSeconds") !== null)
    errors.push({
      type: "FieldValueForbidden",
      field: "",
      message: "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
    });
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, podName, errors);
  const passed = new URLSearchParams();
  for (const name of PASSED_ON) {
    const value = query.get(name);
    if (value !== null) passed.set(name, value);
  }
  return passed;
}
