import { randomBytes } from "node:crypto"

import { DeploymentLimits } from "@atrium/domain/deployments/DeploymentLimits"
import { Deferred, Effect } from "effect"

import { type CommandFailure, hinted } from "../CommandFailure.ts"
import { routeId } from "../projects/ProjectParameters.ts"
import type { ServiceClient } from "../service/ServiceClient.ts"

interface Holding {
  readonly service: ServiceClient
  readonly folder: string
  /** Takes the project from another folder, once. */
  readonly takeOver: boolean
}

/** The lease of one run of `atrium dev`. */
export type DevLease = Effect.Success<ReturnType<typeof makeDevLease>>

/**
 * The project that this run of `atrium dev` works on: no other folder's rooms replace its own. The
 * lease is renewed for as long as the scope is open, and given up with it. Source: C-227.
 */
export const makeDevLease = Effect.fn("DevLease.make")(function* (holding: Holding) {
  const { service, folder, takeOver } = holding
  const holder = randomBytes(8).toString("hex")
  const lost = yield* Deferred.make<never, CommandFailure>()
  let held: string | null = null

  const put = Effect.fnUntraced(function* (
    project: string,
    payload: { readonly folder: string | null; readonly takeOver?: boolean }
  ) {
    const id = yield* routeId("project", project)
    const call = service.projects.holdDev({
      params: { id },
      query: {},
      payload: { holder, ...payload }
    })
    return yield* service.ask(call)
  })

  const release = Effect.suspend(() => {
    const last = held
    held = null
    return last === null ? Effect.void : Effect.ignore(put(last, { folder: null }))
  })
  yield* Effect.addFinalizer(() => release)

  /** Takes the project, if it is not held yet, and gives up the one before. */
  const hold = Effect.fnUntraced(function* (project: string) {
    if (held === project) return
    const first = held === null
    yield* release
    const payload = first && takeOver ? { folder, takeOver } : { folder }
    yield* put(project, payload).pipe(
      hinted("E_DEV_HELD", "--take-over ends that one and replaces its rooms by yours"),
      // The upload says it, with where the id is from.
      Effect.catchIf(
        (failure) => failure._tag === "Refused" && failure.code === "E_NOT_FOUND",
        () => Effect.void
      )
    )
    held = project
  })

  // A service that is away is asked again; only another holder ends the command.
  const renew = Effect.suspend(() => (held === null ? Effect.void : put(held, { folder }))).pipe(
    Effect.catch((failure) =>
      failure._tag === "Refused" && failure.code === "E_DEV_HELD"
        ? Deferred.fail(lost, failure)
        : Effect.void
    )
  )
  yield* Effect.forkScoped(
    Effect.forever(Effect.andThen(Effect.sleep(DeploymentLimits.devLease.ms / 3), renew))
  )

  return { hold, lost: Deferred.await(lost) }
})
