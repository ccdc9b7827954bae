import { playerStoreRow } from "../RowKinds.ts"
import { section, tierB, tierC } from "../Section.ts"
import { atMost, kib, minuteMs } from "../Units.ts"
import {
  keysOfAPlayer,
  keysUpToTheirLimit,
  playerIdsUpToTheirLimit,
  readsAtOnce,
  readsPaced,
  rowsOfAProject,
  valuesUpToTheirLimit,
  writesAtOnce,
  writesPaced
} from "./PlayerStore.ts"

/** Lines 434 to 441 of the specification: Storage limits. */
export const storageSection = section("Limits / Storage limits", {
  "limits.saves": tierB(434, "10 generations per room per version", {
    sameAs: "saves.retention-10"
  }),
  "kv.limit.value": playerStoreRow(435, "KV value 16 KiB", {
    decisions: ["D-36"],
    boundary: { ...atMost(16 * kib, "bytes"), outcome: { code: "E_KV_VALUE_TOO_LARGE" } },
    check: valuesUpToTheirLimit
  }),
  "kv.limit.key": playerStoreRow(436, "KV key 256 bytes", {
    decisions: ["D-36"],
    boundary: { ...atMost(256, "bytes"), least: 1, outcome: { code: "E_KV_KEY_TOO_LONG" } },
    check: keysUpToTheirLimit
  }),
  "kv.limit.playerId": playerStoreRow(437, "player id 256 bytes", {
    decisions: ["D-36"],
    boundary: { ...atMost(256, "bytes"), outcome: { code: "E_KV_PLAYER_ID_TOO_LONG" } },
    check: playerIdsUpToTheirLimit
  }),
  "kv.limit.keys-per-player": playerStoreRow(438, "128 distinct keys per player per project", {
    decisions: ["D-36"],
    boundary: { ...atMost(128, "count"), outcome: { code: "E_KV_KEYS_FULL" } },
    check: keysOfAPlayer
  }),
  "kv.limit.rows": tierC(439, "1,000,000 KV rows per project", {
    probe: ["ws"],
    hooks: ["fixture", "seed"],
    features: ["playerStore"],
    decisions: ["D-36"],
    boundary: { ...atMost(1_000_000, "count"), outcome: { code: "E_KV_ROWS_FULL" } },
    check: rowsOfAProject
  }),
  "kv.rate.reads": tierC(440, "KV reads 12,000 a minute", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    features: ["playerStore"],
    decisions: ["D-36"],
    bucket: {
      endpoint: "reads of the player store",
      key: "project",
      rate: 12_000,
      perMs: minuteMs,
      burst: 3000,
      outcome: { code: "E_KV_RATE" }
    },
    check: readsPaced
  }),
  "kv.rate.reads.burst": playerStoreRow(440, "burst 3,000", {
    decisions: ["D-36"],
    literalsOf: "kv.rate.reads",
    check: readsAtOnce
  }),
  "kv.rate.writes": tierC(441, "KV writes and deletes together 6,000 a minute", {
    probe: ["ws"],
    hooks: ["clock", "fixture"],
    features: ["playerStore"],
    decisions: ["D-36"],
    bucket: {
      endpoint: "writes and deletes of the player store",
      key: "project",
      rate: 6000,
      perMs: minuteMs,
      burst: 2000,
      outcome: { code: "E_KV_RATE" }
    },
    check: writesPaced
  }),
  "kv.rate.writes.burst": playerStoreRow(441, "burst 2,000", {
    decisions: ["D-36"],
    literalsOf: "kv.rate.writes",
    check: writesAtOnce
  })
})
