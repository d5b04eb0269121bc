@echo off
rem Opens the course with the Python and the JDK beside it: nothing is installed, and no administrator is asked.
cd /d "%~dp0"
bundle\python\python.exe tools\setup.py lab %*
if errorlevel 1 pause
