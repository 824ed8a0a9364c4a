import { atOnce } from "@orchernetes/kernel";
import type { NftDifference } from "../../nft/difference.ts";
import type { NftTable } from "../../nft/table.ts";
import { PolicyTable } from "../policy-table.ts";

/** A table that is always up to date when a test reads it. */
export class CurrentPolicyTable extends PolicyTable {
  override table(): NftTable {
    atOnce(this.refresh());
    return super.table();
  }

  /** What has changed since the last call. */
  difference(): NftDifference {
    atOnce(this.refresh());
    return atOnce(this.takeDifference());
  }
}
