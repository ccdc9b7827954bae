import { HogCases } from "@atrium/api/testing/HogCases"
import { tellOfHogs } from "@atrium/api/testing/HogStory"

tellOfHogs(HogCases)
