import { projectFileHeading } from "../Headings.ts"
import {
  fileAudienceRow,
  fileClientRow,
  fileInitRow,
  fileRow,
  fileSyncRow,
  staticSiteRow
} from "../RowKinds.ts"
import { section } from "../Section.ts"
import { initWritesName, initWritesStatic } from "./ProjectFileInit.ts"
import { isSynced } from "./SyncedKeys.ts"

/** Lines 88 to 102 of the specification: Project file `service.json`, its keys. */
export const projectFileKeysSection = section(projectFileHeading, {
  "file.init-writes-at-root": fileInitRow(88, "init writes the file at the project root", {
    provedBy: "file.init.writes-name"
  }),
  "file.no-secrets": fileRow(88, "the file holds no port, endpoint or secret", {
    provedBy: "file.project.create-when-none"
  }),
  "file.all-optional": fileRow(88, "every key is optional", { provedBy: "file.name.order" }),
  "file.unknown-keys-ignored": fileRow(88, "unknown keys are ignored; a typo reads as absent", {
    provedBy: "file.name.order"
  }),
  "file.project.type": fileRow(92, "project: string", {
    literalsOf: "file.validate.project-type.refused",
    provedBy: "file.resolve.deploy"
  }),
  "file.project.omitted": fileRow(92, "project left out: resolved by the resolution table", {
    provedBy: "file.project.create-when-none"
  }),
  "file.name.type": fileRow(93, "name: string", {
    literalsOf: "file.validate.name-type",
    provedBy: "file.name.order"
  }),
  "file.name.omitted": fileRow(93, "name left out: resolved by the name rule", {
    provedBy: "file.project.create-when-none"
  }),
  "file.client.type": fileRow(94, "client: string", {
    literalsOf: "file.validate.client-type",
    provedBy: "file.resolve.deploy"
  }),
  "file.client.omitted": fileClientRow(94, "client left out: no declared browser entry", {
    provedBy: "file.client.warns-not-refuses"
  }),
  "file.static.type": staticSiteRow(95, "static: string or {dir,label?}", {
    literalsOf: "file.validate.static-type",
    provedBy: "file.static.forms"
  }),
  "file.static.omitted": staticSiteRow(95, "static left out: no configured static deployment", {
    provedBy: ["file.static.deploy-order", "file.static.neither-refused"]
  }),
  "file.queues.type": fileSyncRow(96, "queues: map", {
    literalsOf: "file.validate.queues",
    provedBy: "queues.source-of-truth"
  }),
  "file.queues.omitted": fileSyncRow(96, "queues left out: queues kept", {
    provedBy: "queues.source-of-truth"
  }),
  "file.boards.type": fileSyncRow(97, "boards: map", {
    literalsOf: "file.validate.boards-type",
    provedBy: "boards.source-of-truth"
  }),
  "file.boards.omitted": fileSyncRow(97, "boards left out: boards kept", {
    provedBy: "boards.source-of-truth"
  }),
  "file.origins.type": fileSyncRow(98, "origins: array of strings", {
    literalsOf: "file.validate.origins-type",
    provedBy: "origins.replaces-on-deploy"
  }),
  "file.origins.omitted": fileSyncRow(98, "origins left out: managed origins kept", {
    provedBy: "origins.replaces-on-deploy"
  }),
  "file.audienceRole.type": fileAudienceRow(99, "audienceRole: string or null", {
    literalsOf: "file.validate.audienceRole",
    provedBy: "audienceRole.length"
  }),
  "file.audienceRole.omitted": fileAudienceRow(99, "audienceRole left out: audience setting kept", {
    provedBy: "audienceRole.synced"
  }),
  "file.preRelease.type": fileSyncRow(100, "preRelease: boolean", {
    literalsOf: "file.validate.preRelease-type",
    provedBy: "file.preRelease.omitted"
  }),
  "file.preRelease.omitted": fileSyncRow(100, "preRelease left out: migration policy kept", {
    check: isSynced("preRelease", { declared: true, other: false, empty: false })
  }),
  "file.init.writes-name": fileInitRow(102, "init writes name", { check: initWritesName }),
  // The check asks `init` alone: no site is deployed for it.
  "file.init.writes-static": fileInitRow(
    102,
    "init writes static only when static hosting is chosen",
    { check: initWritesStatic }
  ),
  "file.first-deploy-adds-project": fileRow(102, "the first deploy adds project", {
    provedBy: ["file.project.create-when-none", "file.name.order"]
  }),
  "file.init.never-writes-hand-keys": fileInitRow(
    102,
    "client, queues, boards, origins, audienceRole, preRelease are never written by the tool",
    {
      is: { keys: ["client", "queues", "boards", "origins", "audienceRole", "preRelease"] },
      provedBy: ["file.init.writes-name", "file.init.writes-static"]
    }
  )
})
