import { networking } from "@orchernetes/api";
import type { Draft } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { isAbout } from "./attributes.ts";
import { newestFirst } from "./newest-first.ts";
import { withKnown } from "./with-known.ts";

const IS_DEFAULT = "ingressclass.orchernetes.io/is-default-class";
/** How ingresses named their class before there was a field for it. */
const CLASS_ANNOTATION = "orchernetes.io/ingress.class";

/** Plugin DefaultIngressClass: an ingress that names no class gets the default one; of several the newest. */
export const defaultIngressClass: AdmissionPlugin = {
  name: "DefaultIngressClass",
  handles: (operation) => operation === "CREATE",
  admit(attributes, context) {
    if (!isAbout(attributes, "networking.o8s.io", "ingresses") || attributes.object === undefined) return;
    const { metadata, spec } = attributes.object as Draft<networking.Ingress>;
    if (spec.ingressClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
    return withKnown(context.registry.forDefinition(networking.ingressClasses).recentList(), (classes) => {
      const [chosen] = classes.filter((c) => c.metadata.annotations?.[IS_DEFAULT] === "true").sort(newestFirst);
      if (chosen !== undefined) spec.ingressClassName = chosen.metadata.name;
    });
  },
};
