import { count } from "@atrium/wire/limits/Limit"

/** Accounts of players. */
export const AccountLimits = {
  exportRows: count("Rows of one kind in a page of a player's export", {
    max: 500,
    per: "page",
    past: "the rest is on the next page"
  })
} as const
