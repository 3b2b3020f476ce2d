"""Leads the program beside it through its life by Pulumi's Automation API, and prints what was done as JSON."""

import json
import runpy
from pulumi import automation


def program():
    runpy.run_path("__main__.py")


stack = automation.create_or_select_stack("dev", project_name="web-python", program=program, work_dir=".")
preview = stack.preview()
up = stack.up()
again = stack.up()
stack.destroy()
told = {
    "preview": preview.change_summary,
    "up": up.summary.resource_changes,
    "again": again.summary.resource_changes,
    "diskPath": up.outputs["diskPath"].value,
}
print(json.dumps(told))
