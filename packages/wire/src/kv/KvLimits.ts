import { KiB, count, size } from "../limits/Limit.ts"

/** What one entry of a player's KV may hold, as the service and the process of a room know it. Spec: Storage limits. */
export const KvLimits = {
  kvValueBytes: size("Player KV value, as JSON", {
    max: 16 * KiB,
    per: "key",
    past: "E_KV_VALUE_TOO_LARGE"
  }),
  kvKeyBytes: size("Player KV key", {
    max: 256,
    per: "key",
    past: "E_KV_KEY_TOO_LONG"
  }),
  kvKeys: count("Distinct KV keys of a player", {
    max: 128,
    per: "player and project",
    past: "E_KV_KEYS_FULL"
  }),
  kvPageEntries: count("Entries in one answer to a list of KV", {
    max: 128,
    per: "answer",
    past: "the next page has them"
  }),
  kvPageBytes: size("Keys and values in one answer to a list of KV", {
    max: 128 * KiB,
    per: "answer",
    past: "the next page has them; one entry comes always"
  })
} as const
