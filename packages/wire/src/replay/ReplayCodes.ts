/**
 * Codes of clips that reach room code by `RpcError` and others by the HTTP API, where they are classes of
 * `ReplayRefusal.ts`. Those that room code alone sees are rows of `RoomRefusal.ts`. Spec: Errors; D-57.
 */
export const ReplayCodes = {
  badRequest: "E_BAD_REQUEST",
  off: "E_REPLAY_OFF",
  clipDisarmed: "E_CLIP_DISARMED",
  clipCooldown: "E_CLIP_COOLDOWN",
  clipTooLarge: "E_CLIP_TOO_LARGE"
} as const
