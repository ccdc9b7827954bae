import { ProjectPurge } from "@atrium/actors/projects/ProjectPurge"
import { projectTables } from "@atrium/actors/projects/ProjectTables"
import { ProjectsApi } from "@atrium/domain/projects/ProjectsApi"

import { defineFeature } from "../defineFeature.ts"
import { ProjectsHandlers } from "./projects.ts"

export const feature = defineFeature({
  noun: "projects",
  loginPaths: ["/v1/projects"],
  contract: [ProjectsApi],
  handlers: ProjectsHandlers,
  tables: projectTables,
  actors: ProjectPurge
})
