import { LoginLimits } from "./LoginLimits.ts"

/**
 * What a login was made for. An `account` token is the way into an account: the first start or an
 * accepted invitation showed it once, and it is valid until it is revoked. Source: D-23, D-50.
 */
export const LoginKinds = ["account", "cli", "session"] as const
export type LoginKind = (typeof LoginKinds)[number]

/** When a login of this kind ends that is made now; `null` = it does not end by itself. */
export const firstExpiryMs = (kind: LoginKind, nowMs: number): number | null => {
  switch (kind) {
    case "account":
      return null
    case "cli":
      return nowMs + LoginLimits.cliTokenLife.ms
    case "session":
      return nowMs + LoginLimits.sessionLife.ms
  }
}

/** When a login ends after a use: only that of a CLI token moves. */
export const expiryAfterUseMs = (
  login: { readonly kind: LoginKind; readonly expiresAtMs: number | null },
  nowMs: number
): number | null => (login.kind === "cli" ? firstExpiryMs("cli", nowMs) : login.expiresAtMs)

/** Whether this use is written: one a minute is enough to see what is still needed. */
export const isUseWritten = (lastUsedMs: number | null, nowMs: number): boolean =>
  lastUsedMs === null || nowMs - lastUsedMs >= LoginLimits.loginUseWrites.ms

/** Whether a logout ends a login: an account's own token is the way back in, and ends by name only. */
export const endsAtLogout = (kind: LoginKind): boolean => kind !== "account"
