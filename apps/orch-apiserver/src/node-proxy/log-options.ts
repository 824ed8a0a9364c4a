import { core } from "@orchernetes/api";
import { badRequest, invalid } from "@orchernetes/apimachinery";
import { isTrue, type Query } from "@orchernetes/apiserver";

/** The query of a log request that is passed on to the node agent: switches, and what has a value. */
const SWITCHES = ["follow", "previous", "timestamps"] as const;
const VALUES = ["sinceSeconds", "sinceTime", "tailLines", "limitBytes"] as const;

const integer = /^[+-]?\d{1,15}$/;

function integerOf(query: Query, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (!integer.test(text)) throw badRequest(`${name}: found ${JSON.stringify(text)}; an integer is expected`);
  return Number(text);
}

function timeOf(query: Query, name: string): string | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (Number.isNaN(Date.parse(text)))
    throw badRequest(`${name}: found ${JSON.stringify(text)}; a time as in RFC 3339 is expected`);
  return text;
}

/** Checks the options of a log request and gives the agent's query. @throws ApiError BadRequest, Invalid */
export function logQuery(query: Query, podName: string): URLSearchParams {
  const options = {
    tailLines: integerOf(query, "tailLines"),
    limitBytes: integerOf(query, "limitBytes"),
    sinceSeconds: integerOf(query, "sinceSeconds"),
    sinceTime: timeOf(query, "sinceTime"),
  };
  const errors = core.validatePodLogOptions(options);
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, podName, errors);
  const passed = new URLSearchParams();
  for (const name of SWITCHES) if (isTrue(query.get(name))) passed.set(name, "true");
  for (const name of VALUES) {
    const value = query.get(name);
    if (value !== null) passed.set(name, value);
  }
  return passed;
}
