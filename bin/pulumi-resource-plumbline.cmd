@node "%~dp0pulumi-resource-plumbline" %*
