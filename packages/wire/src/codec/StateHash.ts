import { fnv1a64 } from "../schema/Fnv1a64.ts"

/**
 * Names a state by its full encoding: equal on the room's side and a client's when, and in practice
 * only when, both hold the same. FNV-1a 64 as 16 hex characters.
 */
export const stateHash = (full: Uint8Array): string => fnv1a64(full)
