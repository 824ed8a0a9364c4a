import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of `kubectl explain` for `demo.example.com/v1`. */
export const documentation: TypeDocumentation = {
  Widget: { "": "A part of a machine.", spec: "The desired form of the widget." },
  WidgetSpec: { "": "The form of a widget.", size: "Edge length in millimetres, at most 100. Default: 1." },
};
