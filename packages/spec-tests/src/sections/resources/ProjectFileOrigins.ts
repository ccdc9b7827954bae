import { section, tierA } from "../Section.ts"

/** Line 143 of the specification: Project file `service.json`, origins. */
export const projectFileOriginsSection = section(
  "Resources and their fields / Project file `service.json`",
  {
    "origins.bare-origin": tierA(
      143,
      "each entry is a bare origin without path or trailing slash",
      {
        probe: ["cli"],
        features: ["cli", "projectFile", "projectFile.sync"],
        literalsOf: "file.validate.origins-entry"
      }
    ),
    "origins.distinct-non-empty": tierA(143, "entries are distinct and non-empty", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      literalsOf: "file.validate.origins-type"
    }),
    "origins.star": tierA(143, "`*` allows all", {
      probe: ["cli"],
      features: ["cli", "projectFile", "projectFile.sync"],
      is: { all: "*" }
    }),
    "origins.exact-compare": tierA(143, "compared exactly with the Origin header", {
      features: ["cli", "projectFile", "projectFile.sync"],
      decisions: ["D-30"]
    }),
    "origins.localhost-always": tierA(143, "localhost is always allowed", {
      features: ["origins"],
      decisions: ["D-30"],
      is: { host: "localhost" }
    }),
    "origins.replaces-on-deploy": tierA(
      143,
      "a declared list replaces the stored one on each deploy, in any order",
      { probe: ["cli"], features: ["cli", "projectFile", "projectFile.sync"] }
    ),
    "origins.first-deploy-no-prompt": tierA(
      143,
      "a declared list suppresses the production-origin question on the first deploy",
      { probe: ["cli"], features: ["cli", "projectFile", "projectFile.sync"] }
    ),
    "origins.static-adds-site": tierA(143, "deploy --static adds the site origin", {
      probe: ["cli"],
      features: ["cli", "projectFile", "staticSites"]
    }),
    "origins.next-room-deploy-removes-site": tierA(
      143,
      "the next room deploy removes it unless listed",
      { probe: ["cli"], features: ["cli", "projectFile", "staticSites"] }
    ),
    "origins.omitted-untouched": tierA(
      143,
      "omitted: only the first-deploy answer and the static site origin are added",
      { probe: ["cli"], features: ["cli", "projectFile", "projectFile.sync"] }
    )
  }
)
