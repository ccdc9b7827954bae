import type { ToLead } from "@atrium/actors/migrations/Migrator"
import { Effect } from "effect"

import type { Mutant } from "./Mutant.ts"
import { rightVersions, type VersionParts } from "./VersionParts.ts"

interface WrongVersions {
  readonly says: string
  readonly rule?: string
  /** One of nine worlds leads stored state over versions: these found it before. */
  readonly near: ReadonlyArray<number>
}

const versions = (
  { says, rule = "led", near }: WrongVersions,
  changed: Partial<VersionParts>
): Mutant => ({ says, rule, near, parts: { versions: { ...rightVersions, ...changed } } })

/** Changes the way on which a migrator leads the state of a room. */
const leading =
  (hopsOf: (room: NonNullable<ToLead["room"]>) => NonNullable<ToLead["room"]>["hops"]) =>
  (migrator: Parameters<VersionParts["migrator"]>[0]): ReturnType<VersionParts["migrator"]> => ({
    lead: (asked) => {
      const { room } = asked
      return migrator.lead(
        room === null ? asked : { ...asked, room: { ...room, hops: hopsOf(room) } }
      )
    }
  })

/** Faults of migrations, each as somebody might make it. */
export const versionMutants: ReadonlyArray<Mutant> = [
  versions(
    { says: "a chain of migrations skips its first step", near: [29, 47] },
    {
      migrator: leading(({ hops }) => (hops.length > 1 ? hops.slice(1) : hops))
    }
  ),
  versions(
    { says: "a migration is applied twice", near: [2, 11] },
    {
      migrator: leading(({ hops }) => [...hops, ...hops.slice(-1)])
    }
  ),
  versions(
    { says: "a state whose migration throws is taken as it is", near: [2, 200] },
    {
      migrator: (migrator) => ({
        lead: (asked) =>
          Effect.catchTag(migrator.lead(asked), "MigrationFailed", () =>
            Effect.succeed({ bytes: asked.bytes, schema: asked.stored })
          )
      })
    }
  ),
  versions(
    { says: "a hand-over keeps the version of the state before", near: [2, 11] },
    {
      files: (files) => {
        const before = new Map<string, number>()
        return {
          ...files,
          load: (key, version) =>
            Effect.tap(files.load(key, version), ({ snapshot }) =>
              Effect.sync(() => {
                const text = `${key.projectId}/${key.roomId}`
                if (snapshot === null) before.delete(text)
                else before.set(text, snapshot.manifest.version)
              })
            ),
          storeSnapshot: (key, state, facts) => {
            const version = before.get(`${key.projectId}/${key.roomId}`) ?? facts.at.version
            return files.storeSnapshot(key, state, { ...facts, at: { ...facts.at, version } })
          }
        }
      }
    }
  ),
  versions(
    {
      says: "a runner knows no version that was made since it has read their steps",
      rule: "versions",
      near: [2, 20]
    },
    {
      deployments: (store) => {
        const read = new Map<string, Effect.Success<ReturnType<typeof store.steps>>>()
        return {
          ...store,
          steps: (projectId, upTo) =>
            Effect.suspend(() => {
              const known = read.get(projectId)
              if (known !== undefined) return Effect.succeed(known)
              return Effect.tap(store.steps(projectId, upTo), (steps) =>
                Effect.sync(() => void read.set(projectId, steps))
              )
            })
        }
      }
    }
  ),
  versions(
    { says: "a rollback leads nothing back", near: [56, 236] },
    {
      deployments: (store) => ({
        ...store,
        addAgain: (deployed, judge) =>
          store.addAgain(deployed, (replaced) => {
            const verdict = judge(replaced)
            return verdict?._tag === "Taken" ? null : verdict
          })
      })
    }
  ),
  versions(
    { says: "a version that gives up what is stored keeps it", rule: "versions", near: [155, 164] },
    {
      deployments: (store) => ({
        ...store,
        steps: (projectId, upTo) =>
          Effect.map(store.steps(projectId, upTo), (steps) =>
            steps.map(({ version, step }) => ({ version, step: { ...step, discards: false } }))
          )
      })
    }
  )
]
