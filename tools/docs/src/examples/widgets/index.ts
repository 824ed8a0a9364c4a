import { resourceDefinitions } from "@orchernetes/apimachinery";
import { widgets } from "./widget.ts";

export * from "./widget.ts";

/** Resources of `demo.example.com/v1`. */
export const demoV1 = resourceDefinitions(widgets);
