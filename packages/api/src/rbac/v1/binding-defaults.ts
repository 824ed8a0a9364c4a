import type { Draft } from "@orchernetes/apimachinery";
import type { RoleRef, Subject } from "./types/common.ts";
import { rbacGroup } from "./validation.ts";

/** Fills in the API groups of a binding's role and subjects. */
export function defaultBinding(binding: { roleRef: Draft<RoleRef>; subjects?: Draft<Subject>[] | undefined }): void {
  binding.roleRef.apiGroup ||= rbacGroup;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === "User" || subject.kind === "Group") {
      subject.apiGroup ||= rbacGroup;
    }
  }
}
