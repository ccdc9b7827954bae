import { KeyLimits } from "@atrium/domain/keys/KeyLimits"
import type { ProjectId } from "@atrium/domain/shared/Ids"
import { reaches, type Scope } from "@atrium/domain/shared/Scope"
import { Data } from "effect"

/** One API key, as its row holds it. Nothing in it ends with time. Spec: Authentication rule 6. */
export type ApiKeyState = Data.TaggedEnum<{
  /** There is no key with this id. */
  Unknown: {}
  Active: {
    readonly projectId: ProjectId
    readonly scopes: ReadonlyArray<Scope>
    /** `null` = never. */
    readonly lastUsedMs: number | null
  }
  /** For good: nothing takes a key back into use. */
  Revoked: { readonly projectId: ProjectId; readonly revokedAtMs: number }
}>
export const ApiKeyState = Data.taggedEnum<ApiKeyState>()

export type ApiKeyEvent = Data.TaggedEnum<{
  /** A request bears the key's secret. `projectId` is the path's, whatever its form. */
  UseAsked: { readonly projectId: string; readonly scope: Scope; readonly nowMs: number }
  /** The account of project `projectId` wants the key revoked. */
  RevokeAsked: { readonly projectId: string; readonly nowMs: number }
}>
export const ApiKeyEvent = Data.taggedEnum<ApiKeyEvent>()

type Asked<Tag extends ApiKeyEvent["_tag"]> = Data.TaggedEnum.Value<ApiKeyEvent, Tag>

/** The answer to a use of a key. */
export type UseAnswer = "granted" | "E_UNAUTHENTICATED" | "E_NOT_FOUND" | "E_SCOPE"

/** The answer to a revocation. */
export type RevokeAnswer = "revoked" | "E_KEY_NOT_FOUND"

type Step<Answer> = readonly [ApiKeyState, Answer]

/**
 * Total: every event has one answer in every state, given when the new state is stored. A refusal
 * never moves the state. Source: D-03, D-18, D-19.
 */
export function step(state: ApiKeyState, event: Asked<"UseAsked">): Step<UseAnswer>
export function step(state: ApiKeyState, event: Asked<"RevokeAsked">): Step<RevokeAnswer>
export function step(state: ApiKeyState, event: ApiKeyEvent): Step<UseAnswer | RevokeAnswer>
export function step(state: ApiKeyState, event: ApiKeyEvent): Step<UseAnswer | RevokeAnswer> {
  switch (event._tag) {
    case "UseAsked":
      return use(state, event)
    case "RevokeAsked":
      return revoke(state, event)
  }
}

/** The key first, then the project, then the scope: a stranger's key learns nothing of the project. */
const use = (state: ApiKeyState, event: Asked<"UseAsked">): Step<UseAnswer> => {
  if (state._tag !== "Active") return [state, "E_UNAUTHENTICATED"]
  if (event.projectId !== state.projectId) return [state, "E_NOT_FOUND"]
  if (!reaches(state.scopes, event.scope)) return [state, "E_SCOPE"]
  const { lastUsedMs } = state
  const written = lastUsedMs !== null && event.nowMs - lastUsedMs < KeyLimits.keyUseWrites.ms
  return [written ? state : { ...state, lastUsedMs: event.nowMs }, "granted"]
}

const revoke = (state: ApiKeyState, event: Asked<"RevokeAsked">): Step<RevokeAnswer> => {
  if (state._tag === "Unknown" || event.projectId !== state.projectId) {
    return [state, "E_KEY_NOT_FOUND"]
  }
  if (state._tag === "Revoked") return [state, "revoked"]
  const { projectId } = state
  return [ApiKeyState.Revoked({ projectId, revokedAtMs: event.nowMs }), "revoked"]
}
