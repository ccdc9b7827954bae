import { loginTables } from "@atrium/actors/logins/LoginTables"
import { ApprovalApi, LoginApi } from "@atrium/domain/logins/LoginApi"
import { MeApi } from "@atrium/domain/logins/MeApi"
import { Layer } from "effect"

import { defineFeature } from "../defineFeature.ts"
import { ApprovalHandlers, LoginHandlers } from "./login.ts"
import { LoginPage } from "./LoginPage.ts"
import { MeHandlers } from "./me.ts"

export const feature = defineFeature({
  noun: "logins",
  loginPaths: ["/v1/me"],
  contract: [LoginApi, ApprovalApi, MeApi],
  handlers: Layer.mergeAll(LoginHandlers, ApprovalHandlers, MeHandlers),
  pages: [LoginPage],
  tables: loginTables
})
