import {
  defineResource,
  type FieldError,
  field,
  type Infer,
  int32,
  message,
  ObjectMeta,
  object,
  optional,
  value,
} from "@orchernetes/apimachinery";

const pkg = "demo.example.com/v1";

export const WidgetSpec = message(pkg, "WidgetSpec", () => ({ size: optional(1, int32) }));

const Widget = object(pkg, "Widget", () => ({ metadata: value(1, ObjectMeta), spec: value(2, WidgetSpec) }));
interface Widget extends Infer<typeof Widget> {}

function validate({ spec }: Widget): readonly FieldError[] {
  const size = spec.size ?? 0;
  return size > 100 ? [field.invalid(field("spec", "size"), size, "must be at most 100")] : [];
}

/** `demo.example.com/v1` widgets. */
export const widgets = defineResource<Widget>({
  group: "demo.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  singular: "widget",
  shortNames: ["wd"],
  scope: "Namespaced",
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  schema: Widget,
  storagePrefix: "/registry/demo.example.com/widgets",
  applyDefaults: (widget) => {
    widget.spec.size ??= 1;
  },
  strategy: { validate, validateUpdate: validate },
  columns: [{ name: "Size", type: "integer", description: "Size of the widget.", value: ({ spec }) => spec.size ?? 0 }],
});
