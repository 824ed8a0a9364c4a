import { scheduling } from "@orchernetes/api";
import { forbidden } from "@orchernetes/apimachinery";
import type { AdmissionPlugin } from "@orchernetes/apiserver";
import { groupResource, isAbout } from "./attributes.ts";

/** The server's own rule, regardless of the plugins: the classes that it creates itself cannot be deleted. */
export const systemPriorityClassProtection: AdmissionPlugin = {
  name: "SystemPriorityClassProtection",
  handles: (operation) => operation === "DELETE",
  validate(attributes) {
    const { name, resource } = attributes;
    if (!isAbout(attributes, "scheduling.o8s.io", "priorityclasses")) return;
    if (Object.hasOwn(scheduling.systemPriorityClasses, name))
      throw forbidden(groupResource(resource), name, "this is a system priority class and cannot be deleted");
  },
};
