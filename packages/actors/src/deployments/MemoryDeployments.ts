import type { ProjectId } from "@atrium/domain/shared/Ids"

import { declareInMemory } from "../boards/MemoryBoards.ts"
import type { StepOfVersion } from "../migrations/VersionStep.ts"
import { projectIn, projectTable } from "../projects/ProjectStore.ts"
import { bundleKey } from "../rooms/RoomObjects.ts"
import { quarantineInMemory } from "../rooms/RoomQuarantine.ts"
import type { DeclaredWindow } from "../rooms/RoomSweeps.ts"
import { byText, MemoryTable, type MemoryTables } from "../store/MemoryDatabase.ts"
import type {
  Added,
  Declared,
  DeploymentRow,
  Judge,
  MadePart,
  MadeVersion,
  Verdict
} from "./DeploymentRow.ts"

/** The deployments of each project in the order of their versions, by the project's id. */
export const deploymentTable = new MemoryTable<Map<number, DeploymentRow>>()

export const deploymentsIn = (tables: MemoryTables, projectId: ProjectId) =>
  deploymentTable.rowsIn(tables).get(projectId) ?? new Map<number, DeploymentRow>()

const currentIn = (tables: MemoryTables, projectId: ProjectId): DeploymentRow | null => {
  const version = projectIn(tables, projectId)?.currentVersion ?? null
  return version === null ? null : (deploymentsIn(tables, projectId).get(version) ?? null)
}

export const versionsIn = (tables: MemoryTables, projectIds: ReadonlyArray<ProjectId>) => {
  const versions = new Map<ProjectId, number>()
  for (const projectId of projectIds) {
    const version = projectIn(tables, projectId)?.currentVersion ?? null
    if (version !== null) versions.set(projectId, version)
  }
  return versions
}

/** Puts a bundle under a key, in the tables in memory. */
export type StoreInMemory = (key: string, nowMs: number) => void

/** A deployment as the tables in memory take it. */
export interface MemoryAdding<R> extends Added {
  readonly createdAtMs: number
  readonly store: StoreInMemory
  readonly judge: Judge<R>
}

/** @returns the row, or the refusal; `null` = there is no such project */
export const addIn = <R>(
  tables: MemoryTables,
  { store, judge, settings, failing, ...adding }: MemoryAdding<R>
): DeploymentRow | Extract<Verdict<R>, { readonly _tag: "Refused" }> | null => {
  const { projectId, createdAtMs } = adding
  const project = projectIn(tables, projectId)
  if (project === null) return null
  const deployments = deploymentsIn(tables, projectId)
  const version = Math.max(0, ...deployments.keys()) + 1
  const preRelease = settings.preRelease ?? project.preRelease
  const verdict = judge({ current: currentIn(tables, projectId), next: version, preRelease })
  if (verdict?._tag === "Refused") return verdict
  const step = verdict === null ? null : verdict.step
  const row = { ...adding, version, step, roomTypes: structuredClone(adding.roomTypes) }
  store(bundleKey(projectId, version), createdAtMs)
  deploymentTable.rowsIn(tables).set(projectId, deployments.set(version, row))
  const declared = structuredClone(settings)
  const changed = { ...project, ...declared, currentVersion: version }
  projectTable.rowsIn(tables).set(projectId, changed)
  declareInMemory(tables, projectId, changed.boards)
  quarantineInMemory(tables, { projectId, version, rooms: failing })
  return row
}

export const madeSinceIn = (
  tables: MemoryTables,
  projectId: ProjectId,
  { sinceMs, atMost }: MadePart
): ReadonlyArray<MadeVersion> =>
  [...deploymentsIn(tables, projectId).values()]
    .filter(({ createdAtMs }) => createdAtMs >= sinceMs)
    .reverse()
    .slice(0, atMost)
    .map(({ version, createdAtMs, rollbackOf }) => ({ version, createdAtMs, rollbackOf }))

/** The newest version that declares each of these room types. */
export const declaredInMemory = (
  tables: MemoryTables,
  projectId: ProjectId,
  types: ReadonlyArray<string>
): ReadonlyMap<string, Declared> => {
  const declared = new Map<string, Declared>()
  for (const { version, roomTypes } of deploymentsIn(tables, projectId).values()) {
    for (const deployed of roomTypes) {
      if (types.includes(deployed.type)) declared.set(deployed.type, { version, deployed })
    }
  }
  return declared
}

/** The steps of the versions up to one, ascending. */
export const stepsIn = (
  tables: MemoryTables,
  projectId: ProjectId,
  upTo: number
): ReadonlyArray<StepOfVersion> =>
  [...deploymentsIn(tables, projectId).values()].flatMap(({ version, step }) =>
    step === null || version > upTo ? [] : [{ version, step }]
  )

export const windowsIn = (tables: MemoryTables): ReadonlyArray<DeclaredWindow> =>
  [...projectTable.rowsIn(tables).values()]
    .flatMap(({ projectId, currentVersion }) => {
      const current = deploymentsIn(tables, projectId).get(currentVersion ?? 0)
      return (current?.roomTypes ?? []).flatMap(({ type, retention }) =>
        retention === null ? [] : [{ projectId, type, retention }]
      )
    })
    .sort((one, other) => byText(one.projectId, other.projectId) || byText(one.type, other.type))
