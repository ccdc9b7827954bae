import { section, tierA } from "../Section.ts"

/** Lines 88 to 102 of the specification: Project file `service.json`, its keys. */
export const projectFileKeysSection = section(
  "Resources and their fields / Project file `service.json`",
  {
    "file.init-writes-at-root": tierA(88, "init writes the file at the project root", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    }),
    "file.no-secrets": tierA(88, "the file holds no port, endpoint or secret", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: "file.project.create-when-none"
    }),
    "file.all-optional": tierA(88, "every key is optional", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: "file.name.order"
    }),
    "file.unknown-keys-ignored": tierA(88, "unknown keys are ignored; a typo reads as absent", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: "file.name.order"
    }),
    "file.project.type": tierA(92, "project: string", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      literalsOf: "file.validate.project-type.refused",
      provedBy: "file.resolve.deploy"
    }),
    "file.project.omitted": tierA(92, "project left out: resolved by the resolution table", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: "file.project.create-when-none"
    }),
    "file.name.type": tierA(93, "name: string", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      literalsOf: "file.validate.name-type",
      provedBy: "file.name.order"
    }),
    "file.name.omitted": tierA(93, "name left out: resolved by the name rule", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: "file.project.create-when-none"
    }),
    "file.client.type": tierA(94, "client: string", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      literalsOf: "file.validate.client-type",
      provedBy: "file.resolve.deploy"
    }),
    "file.client.omitted": tierA(94, "client left out: no declared browser entry", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.client"]
    }),
    "file.static.type": tierA(95, "static: string or {dir,label?}", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"],
      literalsOf: "file.validate.static-type"
    }),
    "file.static.omitted": tierA(95, "static left out: no configured static deployment", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "file.queues.type": tierA(96, "queues: map", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      literalsOf: "file.validate.queues"
    }),
    "file.queues.omitted": tierA(96, "queues left out: queues kept", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"]
    }),
    "file.boards.type": tierA(97, "boards: map", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      literalsOf: "file.validate.boards-type"
    }),
    "file.boards.omitted": tierA(97, "boards left out: boards kept", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"]
    }),
    "file.origins.type": tierA(98, "origins: array of strings", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      literalsOf: "file.validate.origins-type"
    }),
    "file.origins.omitted": tierA(98, "origins left out: managed origins kept", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"]
    }),
    "file.audienceRole.type": tierA(99, "audienceRole: string or null", {
      probe: ["cli"],
      features: ["audience", "cli", "projectFile"],
      literalsOf: "file.validate.audienceRole",
      provedBy: "audienceRole.length"
    }),
    "file.audienceRole.omitted": tierA(99, "audienceRole left out: audience setting kept", {
      probe: ["cli"],
      features: ["audience", "cli", "projectFile"],
      provedBy: "audienceRole.synced"
    }),
    "file.preRelease.type": tierA(100, "preRelease: boolean", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      literalsOf: "file.validate.preRelease-type"
    }),
    "file.preRelease.omitted": tierA(100, "preRelease left out: migration policy kept", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"]
    }),
    "file.init.writes-name": tierA(102, "init writes name", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile"]
    }),
    "file.init.writes-static": tierA(102, "init writes static only when static hosting is chosen", {
      probe: ["cli"],
      features: ["cli", "cli.init", "projectFile", "staticSites"]
    }),
    "file.first-deploy-adds-project": tierA(102, "the first deploy adds project", {
      probe: ["cli"],
      features: ["cli", "projectFile"],
      provedBy: ["file.project.create-when-none", "file.name.order"]
    }),
    "file.init.never-writes-hand-keys": tierA(
      102,
      "client, queues, boards, origins, audienceRole, preRelease are never written by the tool",
      {
        probe: ["cli"],
        features: ["cli", "cli.init", "projectFile"],
        is: { keys: ["client", "queues", "boards", "origins", "audienceRole", "preRelease"] }
      }
    )
  }
)
